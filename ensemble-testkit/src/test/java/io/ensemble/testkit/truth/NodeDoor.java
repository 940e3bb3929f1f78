package io.ensemble.testkit.truth;

import io.ensemble.site.Bytes;
import java.util.Optional;
import org.infinispan.client.hotrod.Flag;
import org.infinispan.client.hotrod.MetadataValue;
import org.infinispan.client.hotrod.RemoteCache;

/** Always to one and the same node. */
record NodeDoor(RemoteCache<byte[], byte[]> cache) implements Door {

  @Override
  public Optional<Found> read(Bytes key) {
    MetadataValue<byte[]> found = cache.getWithMetadata(key.array());
    return found == null
        ? Optional.empty()
        : Optional.of(new Found(Step.decoded(found.getValue()), found.getVersion()));
  }

  @Override
  public boolean putIfAbsent(Bytes key, Step step) {
    return cache.withFlags(Flag.FORCE_RETURN_VALUE).putIfAbsent(key.array(), step.encoded().array())
        == null;
  }

  @Override
  public boolean replace(Bytes key, long version, Step step) {
    return cache.replaceWithVersion(key.array(), step.encoded().array(), version);
  }
}
