package io.ensemble.check.registers;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.InDoubtWrites;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** What stands between the clients of a process and the cache. */
interface CacheInterceptor {

  /** The cache's asynchronous face, as clients are to see it. */
  AsyncEnsembleCache<String, Long> cache(
      EnsembleCacheManager manager, AsyncEnsembleCache<String, Long> real);

  /** Who is told of writes in doubt. */
  default Consumer<InDoubtWrites<String>> reports(Consumer<InDoubtWrites<String>> real) {
    return real;
  }

  /** One that changes the cache alone. */
  record OfCache(UnaryOperator<AsyncEnsembleCache<String, Long>> seenAs)
      implements CacheInterceptor {

    @Override
    public AsyncEnsembleCache<String, Long> cache(
        EnsembleCacheManager manager, AsyncEnsembleCache<String, Long> real) {
      return seenAs.apply(real);
    }
  }
}
