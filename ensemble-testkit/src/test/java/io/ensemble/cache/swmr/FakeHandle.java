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
 * A site's store that a test answers for.
 *
 * @param current the store, if it is open from the beginning
 * @param opened what whoever asks for it gets
 */
public record FakeHandle(
    String site, Optional<SiteStore> current, Supplier<CompletionStage<SiteStore>> opened)
    implements StoreHandle {

  /** One that is open. */
  public static StoreHandle open(String site, SiteStore store) {
    return new FakeHandle(site, Optional.of(store), () -> CompletableFuture.completedFuture(store));
  }

  /** One that is opened when it is asked for. */
  public static StoreHandle opening(String site, Supplier<CompletionStage<SiteStore>> opened) {
    return new FakeHandle(site, Optional.empty(), opened);
  }

  /** A store whose requests are all answered by {@code answers}. */
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
