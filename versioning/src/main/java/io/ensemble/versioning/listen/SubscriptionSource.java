package io.ensemble.versioning.listen;

import io.ensemble.objects.runtime.TimedExecutor;
import io.ensemble.versioning.drive.VersionFeed;
import io.ensemble.versioning.order.VersionSpace;
import java.util.function.Function;

/**
 * The cache of a subscription.
 *
 * @param cache its name
 * @param prefix of the names of the histories of its keys
 * @param naming the name of a key's history; throws for an invalid key
 * @param key the key of a name
 * @param value decodes a value
 */
public record SubscriptionSource<K, V, T>(
    VersionFeed<T> additions,
    VersionSpace<T> space,
    String cache,
    String prefix,
    Function<K, String> naming,
    Function<String, K> key,
    Function<byte[], V> value) {

  TimedExecutor clockwork() {
    return additions.clockwork();
  }
}
