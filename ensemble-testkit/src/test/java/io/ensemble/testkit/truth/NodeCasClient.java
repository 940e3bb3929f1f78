package io.ensemble.testkit.truth;

import io.ensemble.site.Bytes;
import java.util.Optional;
import org.infinispan.client.hotrod.Flag;
import org.infinispan.client.hotrod.MetadataValue;
import org.infinispan.client.hotrod.RemoteCache;

/** A client that always uses the same node. */
record NodeCasClient(RemoteCache<byte[], byte[]> cache) implements CasClient {

  @Override
  public Optional<Found> read(Bytes key) {
    MetadataValue<byte[]> found = cache.getWithMetadata(key.array());
    return found == null
        ? Optional.empty()
        : Optional.of(new Found(ChainValue.decoded(found.getValue()), found.getVersion()));
  }

  @Override
  public boolean putIfAbsent(Bytes key, ChainValue chainValue) {
    return cache
            .withFlags(Flag.FORCE_RETURN_VALUE)
            .putIfAbsent(key.array(), chainValue.encoded().array())
        == null;
  }

  @Override
  public boolean replace(Bytes key, long version, ChainValue chainValue) {
    return cache.replaceWithVersion(key.array(), chainValue.encoded().array(), version);
  }
}
