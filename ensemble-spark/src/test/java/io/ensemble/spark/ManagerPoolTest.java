package io.ensemble.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks share managers, of which few stay open without a task. Needs no running Spark. */
@Timeout(120)
class ManagerPoolTest {

  private final ManagerPool pool = new ManagerPool();
  private final EnsembleCacheManager manager = InProcessFederation.manager();

  @AfterEach
  void close() {
    pool.closeAll();
    manager.stop();
  }

  private static SourceOptions options(String localSite, String cache) {
    return new SourceOptions(
        Map.of(
            "setup", InProcessFederation.class.getName(), "local-site", localSite, "cache", cache));
  }

  @Test
  void soManyManagersStayOpenWithoutATask() {
    manager.createCache(CacheDefinition.of("pooled", Mode.WEAK).sites("a", "b", "c").build());
    List<ManagerPool.Lease> leases = new ArrayList<>();
    for (int i = 0; i < ManagerPool.MOST_IDLE + 2; i++) {
      leases.add(pool.open(options("site" + i, "pooled")));
      leases.add(pool.open(options("site" + i, "pooled")));
    }
    assertThat(pool.size()).isEqualTo(ManagerPool.MOST_IDLE + 2);

    ManagerPool.Lease last = leases.remove(leases.size() - 1);
    leases.forEach(ManagerPool.Lease::close);
    assertThat(pool.size()).isEqualTo(ManagerPool.MOST_IDLE + 1);
    last.cache().put("k", "v"); // Its manager is in use, so still open.
    last.close();

    assertThat(pool.size()).isEqualTo(ManagerPool.MOST_IDLE);
  }

  @Test
  void aCacheThatDoesNotExistLeavesNoManagerInUse() {
    for (int i = 0; i < ManagerPool.MOST_IDLE + 2; i++) {
      SourceOptions absent = options("site" + i, "absent");
      assertThatIllegalArgumentException().isThrownBy(() -> pool.open(absent));
    }

    assertThat(pool.size()).isEqualTo(ManagerPool.MOST_IDLE);
  }
}
