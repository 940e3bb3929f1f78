package io.ensemble.benchmarks.federation;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A counting site delegates to the site, so that it counts what the product does. */
class CountingSiteTest {

  private static final String NODE = "000000aa";

  private static <T> T proxy(Class<T> type, Object created) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "incarnation" -> arguments[0] + NODE;
                  case "create" -> CompletableFuture.completedFuture(created);
                  default -> throw new UnsupportedOperationException("in this test: " + method);
                }));
  }

  private final Site real = proxy(Site.class, proxy(SiteStore.class, ""));

  @Test
  void aStoreIsAtTheNodeThatTheSitePicksUnlessTheFormerKindIsMeasured() {
    for (boolean isByNode : List.of(true, false)) {
      Site counting = new CountingSite(real, new RequestCount(), isByNode);

      assertThat(counting.incarnation("00000001", StoreKind.REPLICA, Set.of()))
          .isEqualTo(isByNode ? "00000001" + NODE : "00000001");
    }
  }

  /** An inherited default method would bypass the implementation of the site's stores. */
  @Test
  void noMethodOfAStoreIsInherited() {
    SiteStore store =
        new CountingSite(real, new RequestCount(), true)
            .create("s", StoreKind.REPLICA, new Deadline(0))
            .toCompletableFuture()
            .join();

    assertThat(SiteStore.class.getMethods())
        .filteredOn(method -> !Modifier.isStatic(method.getModifiers()))
        .allSatisfy(
            method -> assertThat(implementing(store, method)).isNotEqualTo(SiteStore.class));
  }

  private static Class<?> implementing(SiteStore store, Method method)
      throws NoSuchMethodException {
    return store
        .getClass()
        .getMethod(method.getName(), method.getParameterTypes())
        .getDeclaringClass();
  }
}
