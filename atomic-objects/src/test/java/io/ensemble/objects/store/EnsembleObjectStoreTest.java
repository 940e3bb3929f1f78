package io.ensemble.objects.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.adapter.CompareAndSetSupport;
import java.lang.reflect.Proxy;
import java.util.Optional;
import org.infinispan.commons.api.BasicCache;
import org.junit.jupiter.api.Test;

/** A store refuses a cache that reports that it does not suit. */
class EnsembleObjectStoreTest {

  private interface ReportingCache extends BasicCache<String, byte[]>, CompareAndSetSupport {}

  private static ReportingCache reporting(Optional<String> obstacle) {
    return (ReportingCache)
        Proxy.newProxyInstance(
            EnsembleObjectStoreTest.class.getClassLoader(),
            new Class<?>[] {ReportingCache.class},
            (proxy, method, arguments) -> method.getName().equals("getName") ? "stock" : obstacle);
  }

  @Test
  void aCacheThatDoesNotSuitIsRefused() {
    ReportingCache weak = reporting(Optional.of("mode is WEAK; use a cache in mode MWMR"));

    assertThatThrownBy(() -> new EnsembleObjectStore(weak))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mode is WEAK; use a cache in mode MWMR")
        .hasMessageContaining("cache=stock");
  }

  @Test
  void aCacheThatSuitsIsTaken() {
    assertThat(new EnsembleObjectStore(reporting(Optional.empty())).watch(change -> {})).isEmpty();
  }
}
