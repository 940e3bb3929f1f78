package io.ensemble.jcache;

import java.net.URI;
import java.util.concurrent.TimeUnit;
import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.cache.Caching;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.expiry.CreatedExpiryPolicy;
import javax.cache.expiry.Duration;

/** The example of docs/jcache.md, compiled and run as it stands there. */
final class JCacheExample {

  private JCacheExample() {}

  static Long run(URI catalog) {
    // example:begin
    try (CacheManager manager =
        Caching.getCachingProvider().getCacheManager(catalog, null)) { // zk://host:2181/ensemble
      Cache<String, Long> stock =
          manager.createCache(
              "stock",
              new MutableConfiguration<String, Long>()
                  .setTypes(String.class, Long.class)
                  .setExpiryPolicyFactory(
                      CreatedExpiryPolicy.factoryOf(new Duration(TimeUnit.HOURS, 1))));

      stock.putIfAbsent("bolt", 100L); // once, whatever the number of processes
      return stock.invoke(
          "bolt",
          (entry, arguments) -> {
            entry.setValue(entry.getValue() - 3);
            return entry.getValue();
          });
    }
    // example:end
  }
}
