package io.ensemble.rest.retries;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.history.FailureEvidence;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Clients at work on a cache through two services, while sites fail, and the judgement through a
 * third service that was not there before.
 */
public final class Trial {

  private static final int DEADLINE_MILLIS = 1_000;
  private static final int LEAST_STEPS = 12;
  private static final int BETWEEN_MILLIS = 30;

  private final RetriedSites sites;
  private final List<URI> services;
  private final long seed;
  private final Tally tally = new Tally();
  private final Map<Work, Integer> clients = new LinkedHashMap<>();
  private final AtomicBoolean over = new AtomicBoolean();

  /** Registers the sites, which may be repeated, and creates the caches. */
  public Trial(RetriedSites sites, List<URI> services, long seed) {
    this.sites = sites;
    this.services = services;
    this.seed = seed;
    Asker first = new Asker(services, tally, seed);
    for (String site : sites.registrations()) {
      there(first, Asked.json("POST", "/sites", site));
    }
    String cache = cache(first, "shared-" + seed);
    clients.put(new Additions(cache), 3);
    clients.put(new Exchanges(cache), 2);
    clients.put(new Holdings(cache), 3);
    clients.put(new Conditions(cache), 3);
    clients.put(new Choices(cache(first, "pages-" + seed)), 1);
    clients.put(new Creations(cache, first), 1); // Its sites are in nobody else's way so.
  }

  private static String cache(Asker first, String name) {
    there(
        first,
        Asked.json(
            "POST",
            "/caches",
            "{\"name\": \"%s\", \"consistency\": \"MWMR\", \"replication\": 3, \"deadlineMillis\": %d}"
                .formatted(name, DEADLINE_MILLIS)));
    return name;
  }

  private static void there(Asker first, Asked asked) {
    for (Told told : first.answersToAll(asked)) {
      assertThat(told.status()).as("%s", told).isIn(200, 201);
    }
  }

  /** Has the clients at it until {@code faults} have come, and judges what came of it. */
  public Tally run(Consumer<SiteFaults> faults) {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      clients.forEach(
          (work, count) -> {
            for (int i = 0; i < count; i++) {
              String name = "%s-%d-%d".formatted(work.getClass().getSimpleName(), seed, i);
              all.add(CompletableFuture.runAsync(() -> client(work, name), threads));
            }
          });
      SiteFaults befalling = new SiteFaults(sites.sites(), tally, over::get, new Random(seed));
      try {
        faults.accept(befalling);
      } finally {
        befalling.end();
        over.set(true);
      }
      ended(all);
      URI late = sites.service();
      ended(
          clients.keySet().stream()
              .map(work -> CompletableFuture.runAsync(() -> judge(work, late), threads))
              .toList());
    } finally {
      threads.shutdownNow();
    }
    return tally;
  }

  private static void ended(List<CompletableFuture<Void>> all) {
    try {
      CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
    } catch (CompletionException e) {
      throw new AssertionError(e.getCause().getMessage(), e.getCause());
    }
  }

  private void client(Work work, String name) {
    Asker asker = new Asker(services, tally, name.hashCode());
    try {
      for (int i = 0; i < LEAST_STEPS || !over.get(); i++) {
        work.step(asker, name, i);
        Asker.pause(asker.random().nextInt(BETWEEN_MILLIS));
      }
    } catch (RuntimeException | Error e) {
      over.set(true); // Nobody has to wait for what this one would have met.
      throw e;
    }
  }

  private void judge(Work work, URI late) {
    Runnable judgement = () -> work.judge(Asker.plain(late, tally, seed));
    if (work.records().isEmpty()) {
      judgement.run();
    } else {
      FailureEvidence.judge(
          judgement,
          () -> work.records().stream().map(String::valueOf).collect(Collectors.joining("\n")),
          work.getClass(),
          seed);
    }
  }
}
