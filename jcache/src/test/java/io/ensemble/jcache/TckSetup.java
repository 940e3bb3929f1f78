package io.ensemble.jcache;

import java.util.Optional;

/** The setup of cache managers in JCache's published tests. */
public final class TckSetup implements JCacheSetup {

  @Override
  public Optional<JCacheMarshaller> marshaller() {
    return Optional.of(new JavaObjectMarshaller());
  }
}
