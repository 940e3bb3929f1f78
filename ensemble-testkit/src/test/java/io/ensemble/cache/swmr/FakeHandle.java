package io.ensemble.cache.swmr;

import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A store handle whose answers the test provides.
 *
 * @param current the store, if it is open from the beginning
 * @param opened the result of opening the store
 */
public record FakeHandle(
    String site, Optional<SiteStore> current, Supplier<CompletionStage<SiteStore>> opened)
    implements StoreHandle {

  /** A handle whose store is open. */
  public static StoreHandle open(String site, SiteStore store) {
    return new FakeHandle(site, Optional.of(store), () -> CompletableFuture.completedFuture(store));
  }

  /** A handle whose store is opened on request. */
  public static StoreHandle opening(String site, Supplier<CompletionStage<SiteStore>> opened) {
    return new FakeHandle(site, Optional.empty(), opened);
  }

  /** A store that passes all its requests to {@code answers}. */
  public static SiteStore store(InvocationHandler answers) {
    return (SiteStore)
        Proxy.newProxyInstance(
            FakeHandle.class.getClassLoader(), new Class<?>[] {SiteStore.class}, answers);
  }

  @Override
  public CompletionStage<SiteStore> store(Deadline deadline) {
    return opened.get();
  }
}
