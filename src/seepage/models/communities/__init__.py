"""Communities of a graph that is a union of cliques, found without writing down an edge."""

from seepage.models.communities.chunks import chunked
from seepage.models.communities.cliques import Cliques
from seepage.models.communities.louvain import Communities, louvain

__all__ = ["Cliques", "Communities", "chunked", "louvain"]
