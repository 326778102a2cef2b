"""The read models as they stand, for whoever may neither write nor compute."""

from __future__ import annotations

from edge.domain.clusters import Cluster
from projections.clusters import Clusters
from projections.queries import ReadModels


class StandingModels(ReadModels):
    """Queries that answer from what is kept, and from nothing that would have to be worked out first."""

    def clusters(self) -> Clusters:
        return _KeptClusters(self.store)


class _KeptClusters(Clusters):
    """The clusters as they are kept; none where what they follow from has changed since."""

    def _computed(self) -> list[Cluster]:
        return []
