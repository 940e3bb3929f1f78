package io.ensemble.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.benchmarks.store.SiteAddresses;
import io.ensemble.benchmarks.store.StoreMode;
import io.ensemble.testkit.embedded.SharedFederation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.Vector;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DBException;
import site.ycsb.Status;

/** The contract between YCSB and the binding, in every mode. */
class YcsbBindingIT {

  private static final String TABLE = "usertable";

  /** One site of a federation that other tests share. */
  static String site() {
    return SiteAddresses.of(SharedFederation.threeSites()).split(";", 2)[0];
  }

  @ParameterizedTest
  @EnumSource
  void recordsAreInsertedReadUpdatedAndDeleted(StoreMode mode) throws DBException {
    withBinding(
        mode,
        db -> {
          assertThat(db.insert(TABLE, "k", fields("a", "1", "b", "2"))).isEqualTo(Status.OK);
          assertThat(read(db, "k", null)).isEqualTo(Map.of("a", "1", "b", "2"));
          assertThat(read(db, "k", Set.of("b"))).isEqualTo(Map.of("b", "2"));

          assertThat(db.update(TABLE, "k", fields("b", "22", "c", "3"))).isEqualTo(Status.OK);
          assertThat(read(db, "k", null)).isEqualTo(Map.of("a", "1", "b", "22", "c", "3"));

          assertThat(db.insert(TABLE, "k", fields("d", "4"))).isEqualTo(Status.OK);
          assertThat(read(db, "k", null)).isEqualTo(Map.of("d", "4"));

          assertThat(db.delete(TABLE, "k")).isEqualTo(Status.OK);
          assertThat(db.read(TABLE, "k", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
        });
  }

  @ParameterizedTest
  @EnumSource
  void aScanGivesTheSmallestKeysNotBelowItsStart(StoreMode mode) throws DBException {
    withBinding(
        mode,
        db -> {
          List<Integer> numbers = new ArrayList<>();
          for (int i = 100; i < 160; i++) {
            numbers.add(i);
          }
          Collections.shuffle(numbers, new java.util.Random(5));
          numbers.forEach(i -> db.insert(TABLE, "user" + i, fields("n", "" + i, "x", "y")));

          assertThat(scan(db, "user130", 3)).containsExactly("130", "131", "132");
          assertThat(scan(db, "user1395", 2)).containsExactly("140", "141");
          assertThat(scan(db, "user157", 10)).containsExactly("157", "158", "159");
          assertThat(scan(db, "v", 10)).isEmpty();
          assertThat(scan(db, "", 1_000)).hasSize(60).isSorted();
        });
  }

  @ParameterizedTest
  @EnumSource
  void whatFailsOrIsMissingIsAnErrorAndCounted(StoreMode mode) throws DBException {
    withBinding(
        mode,
        db -> {
          SharedStore shared = SharedStore.acquire(BindingProperties.read(db.getProperties()));
          try {
            assertThat(db.read(TABLE, "no", null, new HashMap<>())).isEqualTo(Status.NOT_FOUND);
            assertThat(db.update(TABLE, "no", fields("a", "1"))).isEqualTo(Status.NOT_FOUND);
            assertThat(db.read("other", "no", null, new HashMap<>())).isEqualTo(Status.BAD_REQUEST);
            assertThat(shared.failures().kinds())
                .isEqualTo(Map.of("NotFound", 2, "UnknownTable", 1));

            shared.store().drop();
            assertThat(db.insert(TABLE, "k", fields("a", "1"))).isEqualTo(Status.ERROR);
            assertThat(db.read(TABLE, "k", null, new HashMap<>())).isEqualTo(Status.ERROR);
            assertThat(shared.failures().total()).isEqualTo(5);
          } finally {
            shared.release();
          }
        });
  }

  @Test
  void anUpdateIsAtomicInMwmr() throws Exception {
    withBinding(
        StoreMode.MWMR,
        db -> {
          int writers = 8;
          db.insert(TABLE, "k", fields("start", "0"));

          ExecutorService pool = Executors.newFixedThreadPool(writers);
          List<Future<Status>> updates = new ArrayList<>();
          for (int i = 0; i < writers * 5; i++) {
            String field = "f" + i;
            updates.add(pool.submit(() -> db.update(TABLE, "k", fields(field, "1"))));
          }
          for (Future<Status> update : updates) {
            assertThat(update.get()).isEqualTo(Status.OK);
          }
          pool.shutdownNow();

          assertThat(read(db, "k", null)).hasSize(1 + writers * 5);
        });
  }

  @Test
  void allThreadsShareOneClient() throws DBException {
    EnsembleDb first = binding(StoreMode.MWMR, "ycsb-" + UUID.randomUUID());
    EnsembleDb second = new EnsembleDb();
    second.setProperties(first.getProperties());
    first.init();
    second.init();
    SharedStore shared = SharedStore.acquire(BindingProperties.read(first.getProperties()));

    first.insert(TABLE, "k", fields("a", "1"));
    first.cleanup();

    assertThat(second.read(TABLE, "k", null, new HashMap<>())).isEqualTo(Status.OK);
    shared.store().drop();
    shared.release();
    second.cleanup();
  }

  /** An action on an open binding. */
  private interface Use {
    void with(EnsembleDb db) throws Exception;
  }

  private static void withBinding(StoreMode mode, Use use) throws DBException {
    EnsembleDb db = binding(mode, "ycsb-" + UUID.randomUUID());
    db.init();
    SharedStore shared = SharedStore.acquire(BindingProperties.read(db.getProperties()));
    try {
      use.with(db);
    } catch (RuntimeException | DBException e) {
      throw e;
    } catch (Exception e) {
      throw new AssertionError(e);
    } finally {
      shared.store().drop();
      shared.release();
      db.cleanup();
    }
  }

  private static EnsembleDb binding(StoreMode mode, String cache) {
    Properties properties = new Properties();
    properties.setProperty(BindingProperties.ENDPOINTS, site());
    properties.setProperty(BindingProperties.MODE, mode.toString());
    properties.setProperty(BindingProperties.CACHE, cache);
    EnsembleDb db = new EnsembleDb();
    db.setProperties(properties);
    return db;
  }

  private static Map<String, String> read(EnsembleDb db, String key, Set<String> fields) {
    Map<String, ByteIterator> found = new HashMap<>();
    assertThat(db.read(TABLE, key, fields, found)).isEqualTo(Status.OK);
    Map<String, String> text = new HashMap<>();
    found.forEach((name, value) -> text.put(name, value.toString()));
    return text;
  }

  private static List<String> scan(EnsembleDb db, String start, int count) {
    Vector<HashMap<String, ByteIterator>> found = new Vector<>();
    assertThat(db.scan(TABLE, start, count, Set.of("n"), found)).isEqualTo(Status.OK);
    return found.stream()
        .map(
            record -> {
              assertThat(record).containsOnlyKeys("n");
              return record.get("n").toString();
            })
        .toList();
  }

  private static Map<String, ByteIterator> fields(String... namesAndValues) {
    Map<String, ByteIterator> fields = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      fields.put(
          namesAndValues[i], new ByteArrayByteIterator(namesAndValues[i + 1].getBytes(UTF_8)));
    }
    return fields;
  }
}
