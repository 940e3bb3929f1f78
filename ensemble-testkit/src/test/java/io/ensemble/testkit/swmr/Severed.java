package io.ensemble.testkit.swmr;

import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;

/**
 * Sites as one process sees them that can be cut off from some or all of them, and nobody else with
 * it.
 */
final class Severed {

  private volatile Predicate<String> cut = site -> false;

  void cut() {
    cut = site -> true;
  }

  void cut(Set<String> sites) {
    cut = sites::contains;
  }

  void heal() {
    cut = site -> false;
  }

  Site site(Site real) {
    return seen(Site.class, real, real.name());
  }

  private <T> T seen(Class<T> type, T real, String site) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answer(real, method, arguments, site)));
  }

  private Object answer(Object real, Method method, Object[] arguments, String site)
      throws Throwable {
    boolean asks = CompletionStage.class.isAssignableFrom(method.getReturnType());
    if (asks && cut.test(site)) {
      return CompletableFuture.failedFuture(
          SiteException.notSent(site, Reason.UNREACHABLE, "the process is cut off", null));
    }
    try {
      Object result = method.invoke(real, arguments);
      return asks && real instanceof Site
          ? ((CompletionStage<?>) result).thenApply(found -> wrapped(found, site))
          : result;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private Object wrapped(Object found, String site) {
    return found instanceof SiteStore store ? seen(SiteStore.class, store, site) : found;
  }
}
