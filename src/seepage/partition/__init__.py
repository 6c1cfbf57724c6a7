"""Who holds which columns, and what each party then owns."""

from seepage.partition.apply import holders_of, partition_table
from seepage.partition.dealing import Dealing
from seepage.partition.own_part import OwnPart, PartitionedTable, PublicColumns
from seepage.partition.partition import Partition

__all__ = ["Dealing", "OwnPart", "Partition", "PartitionedTable", "PublicColumns", "holders_of", "partition_table"]
