package io.ensemble.rest.resource.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.redundancy.CacheRedundancy.Replica;
import io.ensemble.redundancy.ReplicaState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The number of replicas that a cache of parts can lose is that of its worst part. */
class RedundancyViewTest {

  private static CacheRedundancy of(int whole, int needed) {
    List<Replica> replicas = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ReplicaState state = i < whole ? ReplicaState.WHOLE : ReplicaState.LOST;
      replicas.add(new Replica("a/" + (i + 1), state));
    }
    return new CacheRedundancy("c", replicas, needed);
  }

  private static CacheRedundancy worst(CacheRedundancy... parts) {
    return RedundancyView.worst(List.of(parts)).orElseThrow();
  }

  @Test
  void ofPartsTheWorstOneIsTold() {
    CacheRedundancy good = of(3, 2);
    CacheRedundancy bare = of(2, 2);
    CacheRedundancy gone = of(1, 2);

    assertThat(worst(good, bare)).isEqualTo(bare);
    assertThat(worst(bare, good)).isEqualTo(bare);
    assertThat(worst(bare, gone)).isEqualTo(gone);
    assertThat(worst(gone, bare)).isEqualTo(gone);
    assertThat(worst(good, gone, good)).isEqualTo(gone);
    assertThat(RedundancyView.worst(List.of())).isEmpty();
  }
}
