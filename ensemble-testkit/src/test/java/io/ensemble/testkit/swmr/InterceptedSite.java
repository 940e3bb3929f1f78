package io.ensemble.testkit.swmr;

import io.ensemble.site.Site;
import io.ensemble.site.SiteStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** A site and its stores as one process sees them, with some answers replaced. */
final class InterceptedSite {

  /** Replaces answers of the site. */
  interface Instead {

    /**
     * The answer to a request; empty if the site itself is to answer.
     *
     * @param perform performs the request at the site with other arguments
     */
    Optional<CompletionStage<?>> of(
        String site, Method request, Object[] arguments, Perform perform);
  }

  /** Performs a request at the site. */
  interface Perform {
    Object with(Object[] arguments);
  }

  private InterceptedSite() {}

  static Site of(Site real, Instead instead) {
    return seen(Site.class, real, real.name(), instead);
  }

  private static <T> T seen(Class<T> type, T real, String site, Instead instead) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answer(real, method, arguments, site, instead)));
  }

  private static Object answer(
      Object real, Method method, Object[] arguments, String site, Instead instead) {
    Perform perform = given -> performed(real, method, given);
    Optional<CompletionStage<?>> other =
        CompletionStage.class.isAssignableFrom(method.getReturnType())
            ? instead.of(site, method, arguments, perform)
            : Optional.empty();
    if (other.isPresent()) {
      return other.get();
    }
    Object result = perform.with(arguments);
    if (result instanceof SiteStore view) { // A prioritized view.
      return seen(SiteStore.class, view, site, instead);
    }
    return real instanceof Site && result instanceof CompletionStage<?> asked
        ? asked.thenApply(
            found ->
                found instanceof SiteStore store
                    ? seen(SiteStore.class, store, site, instead)
                    : found)
        : result;
  }

  private static Object performed(Object real, Method method, Object[] arguments) {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw new AssertionError("a site throws nothing at once", e.getCause());
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }
}
