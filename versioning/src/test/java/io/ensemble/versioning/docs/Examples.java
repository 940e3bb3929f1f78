package io.ensemble.versioning.docs;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.HotRodStore;
import io.ensemble.versioning.Form;
import io.ensemble.versioning.Versioned;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.VersioningException;
import io.ensemble.versioning.listen.Position;
import io.ensemble.versioning.listen.Subscription;
import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.VersionVector;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;

/** What docs/versioning.md shows. */
final class Examples {

  private Examples() {}

  static String first(String address) {
    // first:begin
    try (RemoteCacheManager cluster = new RemoteCacheManager("hotrod://" + address)) {
      RemoteCache<?, ?> cache = HotRodStore.cache(cluster, "objects");
      try (AtomicObjectFactory objects = AtomicObjectFactory.on(new HotRodStore(cache));
          VersionedCache<String, String, HybridTime> pages =
              VersionedCache.builder(objects, "pages", Form.TEXT, Form.TEXT, new HybridTimes())
                  .open()) {
        HybridTime first = pages.add("home", "hello");
        pages.add("home", "hello, world");

        return pages.get("home", first).orElseThrow(); // hello
      }
    }
    // first:end
  }

  static int reads(VersionedCache<String, String, HybridTime> pages) {
    // reads:begin
    Optional<Versioned<HybridTime, String>> latest = pages.latest("home");
    HybridTime yesterday = HybridTime.at(Instant.now().minusSeconds(24 * 3600));
    List<Versioned<HybridTime, String>> since =
        pages.getRange("home", yesterday, latest.orElseThrow().version());
    Optional<Versioned<HybridTime, String>> before =
        pages.getPredecessor("home", latest.orElseThrow().version());
    List<HybridTime> newest = pages.versions("home", null, null, 10, true); // without values
    // reads:end
    return since.size() + newest.size() + before.map(v -> 1).orElse(0);
  }

  static boolean cut(VersionedCache<String, String, HybridTime> pages) {
    // cut:begin
    HybridTime now = HybridTime.at(Instant.now());
    Optional<Versioned<HybridTime, String>> home = pages.asOf("home", now);
    Optional<Versioned<HybridTime, String>> about = pages.asOf("about", now);
    // whatever is written now, both stay as they were then
    // cut:end
    pages.add("home", "later");
    return home.equals(pages.asOf("home", now)) && about.equals(pages.asOf("about", now));
  }

  static String errors(VersionedCache<String, String, HybridTime> pages, HybridTime version) {
    // errors:begin
    try {
      return pages.get("home", version).orElse("the key was removed with it");
    } catch (VersioningException.UnknownVersion e) {
      return "there is no such version";
    } catch (VersioningException.VersionCompacted e) {
      return "compaction took it";
    }
    // errors:end
  }

  static String siblings(
      VersionedCache<String, String, VersionVector> ours,
      VersionedCache<String, String, VersionVector> theirs) {
    // siblings:begin
    ours.put("cart", "bread", VersionVector.of("lyon"));
    theirs.put("cart", "milk", VersionVector.of("oslo")); // neither knows of the other

    ours.resolve("cart", (a, b) -> a + ", " + b); // one version above both
    // siblings:end
    return theirs.latest("cart").flatMap(Versioned::value).orElseThrow();
  }

  static Subscription listen(
      VersionedCache<String, String, HybridTime> pages,
      Optional<byte[]> kept,
      Consumer<String> told) {
    // listen:begin
    Position from = kept.map(Position::of).orElse(Position.BEGINNING);
    Subscription subscription =
        pages
            .listen()
            .keys(List.of("home", "about"))
            .from(from) // without it, what is added from now on
            .start(v -> told.accept(v.key() + ": " + v.value().orElse("removed")));
    // listen:end
    return subscription;
  }

  static byte[] kept(Subscription subscription) {
    // position:begin
    subscription.close(); // no call begins any more
    byte[] position = subscription.position().bytes();
    // position:end
    return position;
  }
}
