package io.ensemble.objects.docs;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ObjectType;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.objects.sync.FencedLock;
import io.ensemble.objects.sync.Grant;
import io.ensemble.objects.sync.ReentrantFencedLock;
import io.ensemble.objects.sync.Synchronizers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;

/** The examples of docs/atomic-objects.md. */
final class AtomicObjectsExamples {

  private AtomicObjectsExamples() {}

  static int first(String address) {
    // first:begin
    try (RemoteCacheManager cluster = new RemoteCacheManager("hotrod://" + address)) {
      RemoteCache<?, ?> cache = HotRodObjectStore.cache(cluster, "objects");
      try (AtomicObjectFactory objects = AtomicObjectFactory.on(new HotRodObjectStore(cache))) {
        Stock stock = objects.openOrCreate("stock", ObjectType.of(Stock.class));

        stock.deliver("bolt", 100);
        stock.take("bolt", 3); // atomic, also beside other takers
        return stock.pieces("bolt");
      }
    }
    // first:end
  }

  static List<Integer> calls(AtomicObjectFactory objects) {
    // calls:begin
    Stock stock = objects.open("stock", ObjectType.of(Stock.class));
    CompletionStage<Boolean> taken = objects.async(stock, s -> s.take("bolt", 1));

    Stock glance = objects.openSequential("stock", ObjectType.of(Stock.class));
    int about = glance.pieces("bolt"); // asks the store nothing while what is known is young

    objects.close(stock); // for this handle
    objects.dispose("stock"); // for everybody
    // calls:end
    return List.of(taken.toCompletableFuture().join() ? 1 : 0, about);
  }

  static String errors(Stock stock) {
    // errors:begin
    try {
      stock.take("bolt", 1);
    } catch (AtomicObjectException.CallRefused e) {
      return "it was not made; make it again"; // e says why
    } catch (AtomicObjectException.CallUnknown e) {
      return "it may have been made, or may yet be; look";
    } catch (AtomicObjectException.NoSuchObject e) {
      return "it was disposed of";
    }
    // errors:end
    return "made";
  }

  /** Work under a lock. */
  interface Report {
    void stop();
  }

  /** A resource that must have one writer at a time. */
  interface Storage {
    void write(Report report, long token);
  }

  static boolean underLock(AtomicObjectFactory objects, Report report, Storage storage)
      throws InterruptedException {
    // lock:begin
    Synchronizers shared = Synchronizers.on(objects).lease(Duration.ofSeconds(5));
    try (FencedLock lock = shared.lock("nightly report")) {
      Optional<Grant> granted = lock.acquire(Duration.ofMinutes(1));
      if (granted.isPresent()) {
        try (Grant grant = granted.get()) {
          grant.onLost(report::stop);
          storage.write(report, grant.token()); // refuses a token smaller than it has seen
        }
      }
      return granted.isPresent();
    }
    // lock:end
  }

  static void underReentrantLock(Synchronizers shared, Report report, Storage storage) {
    // reentrant:begin
    ReentrantFencedLock lock = shared.lock("nightly report").asLock();
    lock.lock();
    try {
      storage.write(report, lock.token());
    } finally {
      lock.unlock();
    }
    // reentrant:end
  }
}
