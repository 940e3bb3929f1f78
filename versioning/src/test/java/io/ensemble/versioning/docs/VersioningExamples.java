package io.ensemble.versioning.docs;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.versioning.AsOfResult;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.CacheSnapshot;
import io.ensemble.versioning.Retention;
import io.ensemble.versioning.SnapshotDifference;
import io.ensemble.versioning.Versioned;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.VersioningException;
import io.ensemble.versioning.listen.Subscription;
import io.ensemble.versioning.listen.SubscriptionPosition;
import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.VersionVector;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.commons.api.BasicCache;

/** The examples of docs/versioning.md. */
final class VersioningExamples {

  private VersioningExamples() {}

  static String first(String address) {
    // first:begin
    try (RemoteCacheManager cluster = new RemoteCacheManager("hotrod://" + address)) {
      RemoteCache<?, ?> cache = HotRodObjectStore.cache(cluster, "objects");
      try (AtomicObjectFactory objects = AtomicObjectFactory.on(new HotRodObjectStore(cache));
          VersionedCache<String, String, HybridTime> pages =
              VersionedCache.builder(
                      objects, "pages", BinaryCodec.TEXT, BinaryCodec.TEXT, new HybridTimes())
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

  static String times(VersionedCache<String, String, HybridTime> pages, Instant time) {
    // times:begin
    AsOfResult<HybridTime, String> then = pages.getAsOf("home", time);
    if (then instanceof AsOfResult.Compacted<HybridTime, String> compacted) {
      return "since " + compacted.oldest().version() + ", earlier versions were removed";
    }
    Iterator<Versioned<HybridTime, String>> since =
        pages.iterateRange("home", pages.versionAt(time), pages.versionAt(Instant.now()), 100);
    // times:end
    return then.found().flatMap(Versioned::value).orElse("none")
        + (since.hasNext() ? " and later ones" : "");
  }

  static boolean stableSnapshot(VersionedCache<String, String, HybridTime> pages) {
    // snapshot-version:begin
    CacheSnapshot<String, String, HybridTime> now = pages.snapshot();
    Optional<Versioned<HybridTime, String>> home = now.get("home");
    Optional<Versioned<HybridTime, String>> about = now.get("about");
    // whatever is written from here on, both stay as they were, for every process
    // snapshot-version:end
    pages.add("home", "later");
    pages.add("about", "later");
    CacheSnapshot<String, String, HybridTime> again = pages.at(now.version());
    return home.equals(again.get("home")) && about.equals(again.get("about"));
  }

  static int diff(VersionedCache<String, String, HybridTime> pages, Instant lastMonday) {
    int count = 0;
    // diff:begin
    CacheSnapshot<String, String, HybridTime> before = pages.at(HybridTime.at(lastMonday));
    try (var changes = before.diff(pages.snapshot())) {
      while (changes.hasNext()) {
        SnapshotDifference<String, String, HybridTime> change = changes.next();
        count += change.kind() == SnapshotDifference.Kind.ADDED ? 1 : 0;
      }
    }
    // diff:end
    return count;
  }

  static int map(BasicCache<String, String> pages) {
    // map:begin
    pages.put("home", "hello"); // a version
    pages.merge("visits", "1", (a, b) -> "" + (Integer.parseInt(a) + 1)); // one step
    pages.remove("home"); // a version without a value
    for (Map.Entry<String, String> entry : pages.entrySet()) {
      assert pages.containsKey(entry.getKey()); // of each key the latest value
    }
    // map:end
    return pages.size();
  }

  static VersionedCache<String, String, HybridTime> retained(AtomicObjectFactory objects) {
    // retention:begin
    VersionedCache<String, String, HybridTime> logs =
        VersionedCache.builder(
                objects, "logs", BinaryCodec.TEXT, BinaryCodec.TEXT, new HybridTimes())
            .retention(Retention.age(Duration.ofDays(30)).atMost(1_000).atLeast(Duration.ofDays(1)))
            .open();
    logs.retain("audit", Retention.ALL); // this key keeps all
    logs.changeRetention(Retention.versions(100)); // at any time, for all processes
    // retention:end
    return logs;
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
    SubscriptionPosition from =
        kept.map(SubscriptionPosition::of).orElse(SubscriptionPosition.BEGINNING);
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
