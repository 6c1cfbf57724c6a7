"""Communities of a graph that is a union of cliques, found without writing down an edge."""

from seepage.communities.cliques import Cliques, chunked
from seepage.communities.louvain import Communities, louvain

__all__ = ["Cliques", "Communities", "chunked", "louvain"]
