package io.ensemble.check.registers;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.InDoubtWrites;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** A wrapper between the clients of a process and the cache. */
interface CacheInterceptor {

  /** The asynchronous view of the cache, as clients use it. */
  AsyncEnsembleCache<String, Long> cache(
      EnsembleCacheManager manager, AsyncEnsembleCache<String, Long> real);

  /** The receiver of reports about writes in doubt. */
  default Consumer<InDoubtWrites<String>> reports(Consumer<InDoubtWrites<String>> real) {
    return real;
  }

  /** An interceptor of the cache alone. */
  record CacheOnly(UnaryOperator<AsyncEnsembleCache<String, Long>> seenAs)
      implements CacheInterceptor {

    @Override
    public AsyncEnsembleCache<String, Long> cache(
        EnsembleCacheManager manager, AsyncEnsembleCache<String, Long> real) {
      return seenAs.apply(real);
    }
  }
}
