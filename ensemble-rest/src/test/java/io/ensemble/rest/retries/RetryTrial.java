package io.ensemble.rest.retries;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.linearizability.FailureArtifacts;
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
 * Clients use caches through two services while sites fail. A third service, started afterwards,
 * checks the result.
 */
public final class RetryTrial {

  private static final int DEADLINE_MILLIS = 1_000;
  private static final int LEAST_STEPS = 12;
  private static final int BETWEEN_MILLIS = 30;

  private final RetryTestSites sites;
  private final List<URI> services;
  private final long seed;
  private final RetryCounts retryCounts = new RetryCounts();
  private final Map<RetryWorkload, Integer> clients = new LinkedHashMap<>();
  private final AtomicBoolean over = new AtomicBoolean();

  /** Registers the sites, perhaps again, and creates the caches. */
  public RetryTrial(RetryTestSites sites, List<URI> services, long seed) {
    this.sites = sites;
    this.services = services;
    this.seed = seed;
    RetryingClient first = new RetryingClient(services, retryCounts, seed);
    for (String site : sites.registrations()) {
      there(first, RepeatableRequest.json("POST", "/sites", site));
    }
    String cache = cache(first, "shared-" + seed);
    clients.put(new CounterAddWorkload(cache), 3);
    clients.put(new CompareAndSetWorkload(cache), 2);
    clients.put(new LockWorkload(cache), 3);
    clients.put(new ConditionalWriteWorkload(cache), 3);
    clients.put(new VersionPutWorkload(cache(first, "pages-" + seed)), 1);
    clients.put(new CacheCreationWorkload(cache, first), 1); // Its sites disturb no other workload.
  }

  private static String cache(RetryingClient first, String name) {
    there(
        first,
        RepeatableRequest.json(
            "POST",
            "/caches",
            "{\"name\": \"%s\", \"consistency\": \"MWMR\", \"replication\": 3, \"deadlineMillis\": %d}"
                .formatted(name, DEADLINE_MILLIS)));
    return name;
  }

  private static void there(RetryingClient first, RepeatableRequest repeatableRequest) {
    for (RecordedResponse recordedResponse : first.answersToAll(repeatableRequest)) {
      assertThat(recordedResponse.status()).as("%s", recordedResponse).isIn(200, 201);
    }
  }

  /** Runs the clients until {@code faults} have ended, and checks the result. */
  public RetryCounts run(Consumer<SiteFaults> faults) {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      clients.forEach(
          (retryWorkload, count) -> {
            for (int i = 0; i < count; i++) {
              String name = "%s-%d-%d".formatted(retryWorkload.getClass().getSimpleName(), seed, i);
              all.add(CompletableFuture.runAsync(() -> client(retryWorkload, name), threads));
            }
          });
      SiteFaults befalling =
          new SiteFaults(sites.sites(), retryCounts, over::get, new Random(seed));
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
              .map(
                  retryWorkload ->
                      CompletableFuture.runAsync(() -> judge(retryWorkload, late), threads))
              .toList());
    } finally {
      threads.shutdownNow();
    }
    return retryCounts;
  }

  private static void ended(List<CompletableFuture<Void>> all) {
    try {
      CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
    } catch (CompletionException e) {
      throw new AssertionError(e.getCause().getMessage(), e.getCause());
    }
  }

  private void client(RetryWorkload retryWorkload, String name) {
    RetryingClient asker = new RetryingClient(services, retryCounts, name.hashCode());
    try {
      for (int i = 0; i < LEAST_STEPS || !over.get(); i++) {
        retryWorkload.step(asker, name, i);
        RetryingClient.pause(asker.random().nextInt(BETWEEN_MILLIS));
      }
    } catch (RuntimeException | Error e) {
      over.set(true); // No fault has to wait for this client.
      throw e;
    }
  }

  private void judge(RetryWorkload retryWorkload, URI late) {
    Runnable judgement = () -> retryWorkload.judge(RetryingClient.plain(late, retryCounts, seed));
    if (retryWorkload.records().isEmpty()) {
      judgement.run();
    } else {
      FailureArtifacts.judge(
          judgement,
          () ->
              retryWorkload.records().stream()
                  .map(String::valueOf)
                  .collect(Collectors.joining("\n")),
          retryWorkload.getClass(),
          seed);
    }
  }
}
