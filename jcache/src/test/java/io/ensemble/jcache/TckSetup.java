package io.ensemble.jcache;

import io.ensemble.EnsembleCacheManagerBuilder;
import java.time.Duration;
import java.util.Optional;

/** The setup of cache managers in JCache's published tests. */
public final class TckSetup implements JCacheSetup {

  /** Hundreds of tests create a cache each, also on a busy machine. */
  @Override
  public void configure(EnsembleCacheManagerBuilder builder) {
    builder.administrationDeadline(Duration.ofMinutes(2));
  }

  @Override
  public Optional<JCacheMarshaller> marshaller() {
    return Optional.of(new JavaObjectMarshaller());
  }
}
