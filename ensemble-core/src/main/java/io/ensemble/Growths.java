package io.ensemble;

import io.ensemble.cache.distributed.Dealt;
import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.StoredDistribution;
import io.ensemble.growth.Growth;
import io.ensemble.growth.GrowthRules;
import io.ensemble.migrate.Mover;
import io.ensemble.migrate.PartErrands;
import io.ensemble.migrate.PartMover;
import io.ensemble.partition.PartitionedKey;
import io.ensemble.partition.Partitioner;
import io.ensemble.trust.TrustRules;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Supplier;

/** What a manager does when a distributed cache is to have other parts. Thread-safe. */
record Growths(Federation federation, DistributedCaches distributed, OpenCaches caches) {

  private static final int MOST_TRIES = 8;
  private static final int SAMPLE = 4_096;

  GrowthRun alter(DistributedDefinition to) {
    StoredDistribution now = stored(to.name());
    check(now, to);
    OpenDistribution here = distributed.opened(now);
    for (int i = 0; i < MOST_TRIES; i++) {
      String owner = Mover.owner(federation.newWriter());
      Optional<Growth> under = now.growth();
      if (under.isPresent()) {
        if (!under.get().to().equals(to)) {
          throw new PartsChangingException(now.definition(), under.get().to(), to);
        }
        return started(here, owner, now);
      }
      if (now.definition().equals(to)) {
        return started(here, owner, now);
      }
      StoredDistribution next = now.with(Growth.begun(to, owner));
      try {
        caches.waitFor(
            () -> PartMover.publish(federation.definitions().distributions(), next),
            OpenCaches.LONGEST_LOOKUP);
        return started(here, owner, next);
      } catch (CatalogException raced) {
        if (raced.reason() != CatalogException.Reason.CHANGED) {
          throw raced;
        }
        now = stored(to.name());
        check(now, to);
      }
    }
    throw new CatalogException(
        CatalogException.Reason.CHANGED,
        "others change the record all the while; cache=" + to.name());
  }

  GrowthRun resume(String cache) {
    StoredDistribution stored = stored(cache);
    if (stored.growth().isEmpty()) {
      throw new NoSuchElementException("no change of the parts is under way; cache=" + cache);
    }
    String owner = Mover.owner(federation.newWriter());
    OpenDistribution here = distributed.opened(stored);
    PartMover mover = mover(here, owner, stored);
    caches.waitFor(mover::takeOver, OpenCaches.LONGEST_LOOKUP);
    mover.start();
    return new GrowthRun(mover);
  }

  private GrowthRun started(OpenDistribution here, String owner, StoredDistribution stored) {
    PartMover mover = mover(here, owner, stored);
    mover.start();
    return new GrowthRun(mover);
  }

  private PartMover mover(OpenDistribution here, String owner, StoredDistribution stored) {
    Dealt dealt = distributed.followed(here, stored);
    Map<String, Supplier<io.ensemble.cache.CacheEngine>> engines = new LinkedHashMap<>();
    dealt.faces().forEach((part, faces) -> engines.put(part, faces::running));
    Dealt.Side from = dealt.present();
    Dealt.Side to = dealt.coming().map(Dealt.Coming::side).orElse(from);
    PartMover.Means means =
        new PartMover.Means(
            federation.definitions().distributions(),
            federation.scheduler(),
            new GrowthRules(TrustRules.STANDARD),
            errand -> {},
            published -> here.watch().look());
    return new PartMover(
        means,
        owner,
        stored,
        new PartErrands.Parts(
            engines,
            key -> from.part(here.engine().seen(key)),
            key -> to.part(here.engine().seen(key))));
  }

  private void check(StoredDistribution now, DistributedDefinition to) {
    if (!now.fenced() || !to.parts().stream().allMatch(distributed::isFenceable)) {
      throw new UnsupportedOperationException(
          "parts can be changed where all are MWMR caches, before and after, and were when the cache"
              + " was created; cache=%s fenced=%s parts=%s to=%s"
                  .formatted(to.name(), now.fenced(), now.definition().parts(), to.parts()));
    }
    if (to.frontier() != now.definition().frontier()) {
      throw new IllegalArgumentException("frontier mode stays as it is; cache=" + to.name());
    }
    distributed.distributing().partitioner(to);
  }

  /** Of keys k0, k1, … the share that would move. */
  double share(DistributedDefinition to) {
    DistributedDefinition from = stored(to.name()).definition();
    Partitioner former = distributed.distributing().partitioner(from);
    Partitioner next = distributed.distributing().partitioner(to);
    List<String> now = from.parts();
    int moving = 0;
    for (int i = 0; i < SAMPLE; i++) {
      PartitionedKey key = PartitionedKey.of("k" + i);
      moving += now.get(former.part(key)).equals(to.parts().get(next.part(key))) ? 0 : 1;
    }
    return (double) moving / SAMPLE;
  }

  private StoredDistribution stored(String cache) {
    return distributed
        .stored(cache)
        .orElseThrow(() -> new NoSuchElementException("no such distributed cache: " + cache));
  }
}
