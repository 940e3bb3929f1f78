package io.ensemble.benchmarks.replication;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.cache.BlockingCall;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rival: the quorum of LEADS D2.6, section 5.3. A read queries a majority, and writes the
 * latest value found back to the majority before it returns. A write queries a majority for stamps,
 * and writes under a higher stamp to the majority. Requests to all sites of a majority are sent in
 * parallel.
 *
 * <p>It has every possible advantage. The local site belongs to each majority, the others take
 * turns, and no request goes beyond the majority. Stores are plain caches, which do less for a
 * write than Ensemble's strong ones, and a put is unconditional. So it may lose a write to an older
 * one that is written back late, which Ensemble excludes. This class exists to measure its cost.
 */
public final class TwoTripQuorum implements ReplicatedStore {

  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final Duration LONGEST_COMMAND = Duration.ofSeconds(30);

  private final ThreadScheduler scheduler = new ThreadScheduler();
  private final List<Site> sites;
  private final List<SiteStore> stores;
  private final String name = "two-trips-" + UUID.randomUUID();
  private final long writer = ThreadLocalRandom.current().nextLong();

  /** A value and its stamp: a number, and the writer, which decides between equal numbers. */
  private record StampedValue(long number, long writer, byte[] value)
      implements Comparable<StampedValue> {

    static StampedValue of(Bytes stored) {
      ByteBuffer bytes = ByteBuffer.wrap(stored.array());
      long number = bytes.getLong();
      long writer = bytes.getLong();
      byte[] value = new byte[bytes.remaining()];
      bytes.get(value);
      return new StampedValue(number, writer, value);
    }

    Bytes bytes() {
      return Bytes.of(
          ByteBuffer.allocate(2 * Long.BYTES + value.length)
              .putLong(number)
              .putLong(writer)
              .put(value)
              .array());
    }

    @Override
    public int compareTo(StampedValue other) {
      int byNumber = Long.compare(number, other.number);
      return byNumber != 0 ? byNumber : Long.compare(writer, other.writer);
    }
  }

  /**
   * @param federation its sites, the local one first
   */
  public TwoTripQuorum(List<SiteConfiguration> federation) {
    sites = federation.stream().<Site>map(site -> HotRod.connect(site, scheduler)).toList();
    stores =
        sites.stream()
            .map(
                site ->
                    result(
                        LONGEST_COMMAND, deadline -> site.create(name, StoreKind.PLAIN, deadline)))
            .toList();
  }

  @Override
  public byte @Nullable [] read(String key) {
    Bytes name = bytes(key);
    return result(DEADLINE, deadline -> read(name, deadline)).map(StampedValue::value).orElse(null);
  }

  private CompletionStage<Optional<StampedValue>> read(Bytes key, Deadline deadline) {
    List<SiteStore> majority = majority();
    return latest(majority, key, deadline)
        .thenCompose(
            latest ->
                latest.isEmpty()
                    ? CompletableFuture.completedFuture(latest)
                    : all(majority, store -> store.put(key, latest.get().bytes(), deadline))
                        .thenApply(written -> latest));
  }

  @Override
  public void write(String key, byte[] value) {
    Bytes name = bytes(key);
    result(
        DEADLINE,
        deadline -> {
          List<SiteStore> majority = majority();
          return latest(majority, name, deadline)
              .thenCompose(
                  latest -> {
                    long number = latest.map(StampedValue::number).orElse(0L) + 1;
                    Bytes stored = new StampedValue(number, writer, value).bytes();
                    return all(majority, store -> store.put(name, stored, deadline));
                  });
        });
  }

  private static CompletionStage<Optional<StampedValue>> latest(
      List<SiteStore> majority, Bytes key, Deadline deadline) {
    return all(majority, store -> store.get(key, deadline))
        .thenApply(
            answers ->
                answers.stream()
                    .flatMap(Optional::stream)
                    .map(StampedValue::of)
                    .max(StampedValue::compareTo));
  }

  /** The local site and as many other sites as are needed, chosen at random. */
  private List<SiteStore> majority() {
    int others = stores.size() / 2;
    int first = ThreadLocalRandom.current().nextInt(Math.max(1, stores.size() - 1));
    List<SiteStore> majority = new ArrayList<>();
    majority.add(stores.get(0));
    for (int i = 0; i < others; i++) {
      majority.add(stores.get(1 + (first + i) % (stores.size() - 1)));
    }
    return majority;
  }

  /** The responses of all of them; fails when one does. */
  private static <T> CompletionStage<List<T>> all(
      List<SiteStore> targets, Function<SiteStore, CompletionStage<T>> request) {
    List<CompletableFuture<T>> answers =
        targets.stream().map(store -> request.apply(store).toCompletableFuture()).toList();
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
  }

  private <T> T result(Duration longest, Function<Deadline, CompletionStage<T>> call) {
    return BlockingCall.result(
        () -> call.apply(Deadline.after(longest, scheduler)), longest, scheduler);
  }

  private static Bytes bytes(String key) {
    return Bytes.of(key.getBytes(UTF_8));
  }

  @Override
  public void settle() {}

  @Override
  public void close() {
    sites.forEach(site -> result(LONGEST_COMMAND, deadline -> site.remove(name, deadline)));
    sites.forEach(Site::close);
    scheduler.close();
  }
}
