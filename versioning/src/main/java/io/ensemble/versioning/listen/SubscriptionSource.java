package io.ensemble.versioning.listen;

import io.ensemble.objects.runtime.TimedExecutor;
import io.ensemble.versioning.drive.VersionFeed;
import io.ensemble.versioning.order.VersionSpace;
import java.util.function.Function;

/**
 * The cache that is listened to.
 *
 * @param cache its name
 * @param prefix with which the names of its keys' histories begin
 * @param naming the name of a key's history; throws for what is no key
 * @param key the key of a name
 * @param value the value that was written so
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
