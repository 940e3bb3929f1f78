package io.ensemble.benchmarks.versions;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.etcd.EtcdClient;
import io.ensemble.benchmarks.etcd.KeyRevision;
import io.ensemble.benchmarks.versions.VersionContest.VersionOperation;
import io.ensemble.versioning.IndexType;
import io.ensemble.versioning.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/** The same histories in a versioned cache and in etcd, and the same operations on them. */
final class EtcdComparison implements AutoCloseable {

  /** The compared operations. */
  enum EtcdTask {
    /** The latest value of a key. */
    LATEST("latest"),
    /** The value of a version; in etcd, as of the revision that wrote it. */
    AT("at a version"),
    /**
     * The values of 100 consecutive versions. In etcd one read for each, because a revision is
     * known from the response before; or a watch from a revision that is known.
     */
    RANGE("range of 100"),
    /** A new version of a key that no other client writes. */
    ADD("add");

    private final String title;

    EtcdTask(String title) {
      this.title = title;
    }

    String title() {
      return title;
    }
  }

  static final int RANGE_LENGTH = 100;

  private static final int KEYS = 64;
  private static final int VALUE_BYTES = 386;
  private static final int LOADED_AT_ONCE = 64;

  private final int versions;
  private final List<MeasuredVersionedCache> caches = new ArrayList<>();
  private final List<EtcdClient> etcdOperation;
  private final Map<String, List<Long>> revisions = new ConcurrentHashMap<>();
  private final Map<String, byte[]> names = new ConcurrentHashMap<>();

  /**
   * Loads all histories.
   *
   * @param versions the number of versions of each of 64 keys, at least 100
   */
  EtcdComparison(BenchmarkOptions benchmarkOptions, VersionTestbed versionTestbed, int versions) {
    this.versions = Math.max(RANGE_LENGTH, versions);
    List<KeyHistory> histories = IntStream.range(0, KEYS).mapToObj(this::history).toList();
    this.etcdOperation =
        IntStream.range(0, versionTestbed.etcd().size())
            .mapToObj(i -> new EtcdClient(versionTestbed.etcd().server(i)))
            .toList();
    try {
      benchmarkOptions.say("loading %,d versions into etcd", (long) KEYS * this.versions);
      load(histories);
      benchmarkOptions.say(
          "loading %,d versions into a versioned cache", (long) KEYS * this.versions);
      VersionedCacheSetup auto = VersionedCacheSetup.of(IndexType.AUTO);
      try (MeasuredVersionedCache writer = versionTestbed.openEmptyCache("etcd", auto)) {
        writer.load(histories, benchmarkOptions.versions().mostClients());
        writer.settle(histories, benchmarkOptions.versions().mostClients());
      }
      caches.add(versionTestbed.openCache("etcd", auto)); // These have written none of the keys.
      caches.add(versionTestbed.openCache("etcd", auto.withoutCopies()));
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private static String key(int number) {
    return "page-" + number;
  }

  private KeyHistory history(int number) {
    SplittableRandom random = new SplittableRandom(number);
    List<Versioned<Long, byte[]>> all = new ArrayList<>();
    for (int i = 0; i < versions; i++) {
      all.add(new Versioned<>((long) i + 1, Optional.of(value(i, random))));
    }
    return new KeyHistory(key(number), all);
  }

  /** A value that begins with its number. */
  private static byte[] value(int number, SplittableRandom random) {
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    byte[] begin = (number + ".").getBytes(UTF_8);
    System.arraycopy(begin, 0, value, 0, begin.length);
    return value;
  }

  /** Writes version by version, all keys in turns, in the natural order of histories. */
  private void load(List<KeyHistory> histories) {
    histories.forEach(h -> names.put(h.key(), h.key().getBytes(UTF_8)));
    for (int i = 0; i < versions; i++) {
      int number = i;
      MeasuredVersionedCache.forEach(
          histories,
          LOADED_AT_ONCE,
          h ->
              etcdOperation
                  .get(0)
                  .put(name(h.key()), h.versions().get(number).value().orElseThrow())
                  .thenAccept(
                      revision ->
                          revisions
                              .computeIfAbsent(h.key(), k -> new ArrayList<>())
                              .add(revision)));
    }
  }

  private byte[] name(String key) {
    return names.computeIfAbsent(key, k -> k.getBytes(UTF_8));
  }

  /** An operation of the versioned cache, with its default copies of entries, or without copies. */
  VersionOperation cacheOperation(EtcdTask task, boolean copies) {
    MeasuredVersionedCache measuredCache = caches.get(copies ? 0 : 1);
    var cache = measuredCache.cache();
    return switch (task) {
      case LATEST ->
          (client, random) -> {
            byte[] value = cache.latest(anyKey(random)).orElseThrow().value().orElseThrow();
            return checked(task, value, versions - 1);
          };
      case AT ->
          (client, random) -> {
            int number = random.nextInt(versions);
            return checked(task, cache.get(anyKey(random), number + 1L).orElseThrow(), number);
          };
      case RANGE ->
          (client, random) -> {
            int first = random.nextInt(versions - RANGE_LENGTH + 1);
            var found = cache.getRange(anyKey(random), first + 1L, (long) first + RANGE_LENGTH);
            if (found.size() != RANGE_LENGTH) {
              throw new IllegalStateException("a range is short: " + found.size());
            }
            return checked(task, found.get(0).value().orElseThrow(), first);
          };
      case ADD ->
          (client, random) -> {
            Long unused = cache.add("new-" + client, value(0, random));
            return task.title();
          };
    };
  }

  /**
   * An operation of etcd.
   *
   * @param serializable whether a server answers on its own: the latest value may then be old
   */
  VersionOperation etcdOperation(EtcdTask task, boolean serializable) {
    return switch (task) {
      case LATEST ->
          (client, random) ->
              checked(task, found(client, anyKey(random), 0, serializable).value(), versions - 1);
      case AT ->
          (client, random) -> {
            int number = random.nextInt(versions);
            String key = anyKey(random);
            return checked(
                task, found(client, key, revision(key, number), serializable).value(), number);
          };
      case RANGE ->
          (client, random) -> {
            int first = random.nextInt(versions - RANGE_LENGTH + 1);
            String key = anyKey(random);
            KeyRevision last =
                found(client, key, revision(key, first + RANGE_LENGTH - 1), serializable);
            for (int i = 1; i < RANGE_LENGTH; i++) {
              last = found(client, key, last.modRevision() - 1, serializable);
            }
            return checked(task, last.value(), first);
          };
      case ADD ->
          (client, random) -> {
            long unused = connection(client).put(name("new-" + client), value(0, random)).get();
            return task.title();
          };
    };
  }

  /** {@link EtcdTask#RANGE} of etcd by a watch, which reads all versions in one request. */
  VersionOperation etcdWatch() {
    return (client, random) -> {
      int first = random.nextInt(versions - RANGE_LENGTH + 1);
      String key = anyKey(random);
      List<KeyRevision> found =
          connection(client).watch(name(key), revision(key, first), RANGE_LENGTH);
      checked(EtcdTask.RANGE, found.get(RANGE_LENGTH - 1).value(), first + RANGE_LENGTH - 1);
      return checked(EtcdTask.RANGE, found.get(0).value(), first);
    };
  }

  private static String anyKey(SplittableRandom random) {
    return key(random.nextInt(KEYS));
  }

  private long revision(String key, int number) {
    return Objects.requireNonNull(revisions.get(key)).get(number);
  }

  private EtcdClient connection(int client) {
    return etcdOperation.get(client % etcdOperation.size());
  }

  private KeyRevision found(int client, String key, long revision, boolean serializable) {
    return connection(client)
        .get(name(key), revision, serializable)
        .orElseThrow(() -> new IllegalStateException("etcd has no " + key + " as of " + revision));
  }

  private static String checked(EtcdTask task, byte[] value, int number) {
    String begin = number + ".";
    if (value.length != VALUE_BYTES || !new String(value, 0, begin.length(), UTF_8).equals(begin)) {
      throw new IllegalStateException("another value than version " + number);
    }
    return task.title();
  }

  @Override
  public void close() {
    caches.forEach(MeasuredVersionedCache::close);
    etcdOperation.forEach(EtcdClient::close);
  }
}
