package io.ensemble.tree;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.docs.DocSnippet;
import io.ensemble.objects.store.MemoryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A tree on a store in memory. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(120)
class SharedTreeTest {

  private static final TreeSettings SMALL =
      TreeSettings.DEFAULT.sizes(600, 600, 300).retention(Duration.ofMillis(200));

  private final MemoryStore store = new MemoryStore(1);
  private final List<AtomicObjectFactory> factories = new ArrayList<>();

  @AfterEach
  void close() {
    factories.forEach(AtomicObjectFactory::close);
    store.close();
  }

  private AtomicObjectFactory factory() {
    AtomicObjectFactory factory =
        AtomicObjectFactory.builder(store)
            .timeout(Duration.ofSeconds(20))
            .requestTimeout(Duration.ofMillis(300))
            .build();
    factories.add(factory);
    return factory;
  }

  private SharedTree small() {
    return SharedTree.builder(factory(), "tree").settings(SMALL).open();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String text(SharedTree tree, String path) {
    return tree.read(path).map(value -> new String(value, UTF_8)).orElse("absent");
  }

  @ParameterizedTest
  @ValueSource(strings = {"first", "users"})
  void theDocumentShowsTheExamples(String mark) throws IOException {
    assertThat(Files.readString(Path.of("../docs/shared-tree.md")))
        .contains(
            DocSnippet.example(
                Path.of("src/test/java/io/ensemble/tree/SharedTreeExample.java"), mark));
  }

  @Test
  void theExamplesDoWhatTheySay() {
    assertThat(SharedTreeExample.run(factory())).containsExactly("device", "name");

    List<TreeEvent> events = new CopyOnWriteArrayList<>();
    try (SharedTree tree = SharedTree.open(factory(), "guests")) {
      SharedTreeExample.users(tree, events);

      assertThat(tree.usage("guest-7")).isEqualTo(new TreeUsage(3, 1, 1_000, 1 << 20));
    }
  }

  @Test
  void twoProcessesShareATree() {
    try (SharedTree one = small();
        SharedTree other = small()) {
      for (int i = 0; i < 100; i++) {
        one.write("/a/b" + i % 7, bytes("v" + i));
        assertThat(text(other, "/a/b" + i % 7)).isEqualTo("v" + i);
      }
      assertThat(other.remove("/a/b3")).isTrue();
      assertThat(one.children("/a")).containsExactly("b0", "b1", "b2", "b4", "b5", "b6");
      assertThat(one.exists("/a/b3")).isFalse();
      assertThat(one.lastCommit()).isEqualTo(102);
    }
  }

  @Test
  void changesThatWereRefusedAreNotCounted() {
    TreeSettings settings =
        new TreeSettings(
            SMALL.maxValueBytes(),
            SMALL.maxChanges(),
            SMALL.maxTransactionBytes(),
            10,
            SMALL.maxNodes(),
            SMALL.maxBytes(),
            SMALL.maxTransactions(),
            SMALL.maxWatches(),
            SMALL.logBytes(),
            SMALL.windowBytes(),
            SMALL.pageBytes(),
            SMALL.retention());
    try (SharedTree tree = SharedTree.builder(factory(), "tree").settings(settings).open()) {
      tree.transact(
          t -> {
            for (int node = 0; node < 20; node++) {
              t.create("/big/n" + node, new byte[1]);
            }
            return null;
          });
      TreeUsage before = tree.usage(SharedTree.ADMINISTRATOR);

      tree.transact(
          t -> {
            assertThatThrownBy(() -> t.remove("/big")).isInstanceOf(TreeException.class);
            assertThatThrownBy(() -> t.write("/big/n1", new byte[1 << 20]))
                .isInstanceOf(TreeException.LimitExceeded.class);
            t.write("/big/n2", new byte[1]);
            return null;
          });

      assertThat(tree.usage(SharedTree.ADMINISTRATOR)).isEqualTo(before);
    }
  }

  @Test
  void theNameAfterWhichChildrenAreListedIsNoPath() {
    try (SharedTree tree = small()) {
      tree.write("/a/b/hidden", new byte[0]);

      assertThatThrownBy(() -> tree.transact(t -> t.children("/a", "b/a", 10)))
          .isInstanceOf(IllegalArgumentException.class);
      assertThat(tree.<List<String>>transact(t -> t.children("/a", "a", 10))).containsExactly("b");
    }
  }

  @Test
  void aTreeThatWasDeletedLeavesNoEntriesOfItsOwn() {
    AtomicObjectFactory factory = factory();
    try (SharedTree tree = SharedTree.builder(factory, "tree").settings(SMALL).open()) {
      for (int i = 0; i < 200; i++) {
        tree.write("/n" + i, bytes("v"));
      }
      await().atMost(Duration.ofSeconds(60)).until(() -> !pageKeys().isEmpty());
      tree.checkpoint();
    }
    store.quiet();

    assertThat(SharedTree.delete(factory, "tree")).isTrue();

    assertThat(pageKeys()).isEmpty();
    assertThat(SharedTree.delete(factory, "tree")).isFalse();
    assertThatThrownBy(() -> SharedTree.builder(factory, "tree").openExisting())
        .isInstanceOf(TreeException.NoSuchTree.class);
  }

  @Test
  void aDeletionWhoseProcessDiesIsContinuedByTheNext() {
    AtomicObjectFactory dying = factory();
    SharedTree old = SharedTree.builder(factory(), "tree").settings(SMALL).open();
    for (int i = 0; i < 200; i++) {
      old.write("/n" + i, bytes("v"));
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> !pageKeys().isEmpty());
    store.quiet();

    store.keep(key -> key.startsWith("tree/"));
    assertThatThrownBy(
            () ->
                io.ensemble.tree.runtime.ObjectSequencer.delete(
                    dying,
                    "tree",
                    birth -> {
                      throw new IllegalStateException("the process dies");
                    }))
        .hasMessage("the process dies");
    store.keep(key -> false);

    assertThat(pageKeys()).isNotEmpty();
    assertThatThrownBy(() -> old.read("/n1")).isInstanceOf(TreeException.NoSuchTree.class);
    assertThatThrownBy(() -> old.write("/n1", bytes("w")))
        .isInstanceOf(TreeException.NoSuchTree.class);
    assertThatThrownBy(() -> SharedTree.builder(factory(), "tree").openExisting())
        .isInstanceOf(TreeException.NoSuchTree.class);
    try (SharedTree again = small()) {
      assertThat(again.exists("/n1")).isFalse();
      assertThat(pageKeys()).isEmpty();
      again.write("/n1", bytes("of the new tree"));
      assertThatThrownBy(() -> old.read("/n1")).isInstanceOf(TreeException.NoSuchTree.class);
      assertThat(text(again, "/n1")).isEqualTo("of the new tree");
    }
    old.close();
    assertThat(SharedTree.delete(factory(), "tree")).isTrue();
    assertThat(SharedTree.delete(factory(), "tree")).isFalse();
  }

  @Test
  void oneOfTwoDeletionsAtTheSameTimeDeletesTheTree() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    List<AtomicObjectFactory> both = List.of(factory(), factory());
    try {
      for (int round = 0; round < 50; round++) {
        small().close();
        Callable<Boolean> one = () -> SharedTree.delete(both.get(0), "tree");
        Callable<Boolean> other = () -> SharedTree.delete(both.get(1), "tree");
        List<Boolean> deleted = new ArrayList<>();
        for (Future<Boolean> result : threads.invokeAll(List.of(one, other))) {
          deleted.add(result.get());
        }
        assertThat(deleted).containsExactlyInAnyOrder(true, false);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aLateDeletionDoesNotDeleteANewTreeOfThatName() {
    small().close();

    assertThat(
            io.ensemble.tree.runtime.ObjectSequencer.delete(
                factory(),
                "tree",
                birth -> {
                  assertThat(SharedTree.delete(factory(), "tree")).isFalse();
                  try (SharedTree other = small()) {
                    other.write("/a", bytes("of the new tree"));
                  }
                }))
        .isTrue();

    try (SharedTree other = SharedTree.builder(factory(), "tree").openExisting()) {
      assertThat(text(other, "/a")).isEqualTo("of the new tree");
    }
  }

  @Test
  void aPageWithLongListsOfUsersIsSmall() {
    NodePermissions listing = NodePermissions.of("ada", NodeAccess.NONE);
    for (int i = 0; i < NodePermissions.MOST_LISTED; i++) {
      listing = listing.with("%0100d".formatted(i), NodeAccess.READ);
    }
    NodePermissions large = listing;
    try (SharedTree tree = SharedTree.open(factory(), "tree")) {
      for (int i = 0; i < 30; i++) {
        String path = "/n" + i;
        tree.transact(
            t -> {
              t.create(path, new byte[0]);
              t.setPermissions(path, large);
              return true;
            });
      }
      tree.checkpoint();
    }
    store.quiet();

    assertThat(pageKeys()).isNotEmpty();
    assertThat(store.entries().entrySet())
        .filteredOn(entry -> entry.getKey().startsWith("tree/"))
        .allSatisfy(entry -> assertThat(entry.getValue().value().length).isLessThan(36_000));
  }

  @Test
  void aTransactionOfAlmostTheMaximumSizeIsCommitted() {
    try (SharedTree tree = small()) {
      assertThat(
              tree.<Boolean>transact(
                  t -> {
                    for (int i = 0; i < 1_080; i++) {
                      t.exists("/%04d%s".formatted(i, "x".repeat(228)));
                    }
                    t.write("/a", bytes("x"));
                    return true;
                  }))
          .isTrue();
      assertThat(text(tree, "/a")).isEqualTo("x");
    }
  }

  @Test
  void theListedUsersOfPermissionsCountForSizes() {
    TreeSettings settings = SMALL.quotas(20, 40);
    NodePermissions listing =
        NodePermissions.of("ada", NodeAccess.NONE).with("x".repeat(30), NodeAccess.READ);
    try (SharedTree tree = SharedTree.builder(factory(), "tree").settings(settings).open()) {
      tree.write("/ada", bytes("12345"));
      tree.setPermissions("/ada", NodePermissions.of("ada", NodeAccess.NONE));
      SharedTree ada = tree.as("ada");
      assertThat(ada.usage("ada").bytes()).isEqualTo(5);

      ada.setPermissions("/ada", listing);
      assertThat(ada.usage("ada").bytes()).isEqualTo(5 + 31);
      assertThatThrownBy(() -> ada.create("/ada/inherits", new byte[0]))
          .hasMessage("not applied: the nodes of ada would have more bytes than its quota");
      assertThatThrownBy(() -> ada.setPermissions("/ada", listing.with("12345", NodeAccess.READ)))
          .isInstanceOf(TreeException.LimitExceeded.class);

      tree.setPermissions("/ada", listing.ownedBy("bob"));
      assertThat(tree.usage("ada")).isEqualTo(new TreeUsage(0, 0, 20, 40));
      assertThat(tree.usage("bob")).isEqualTo(new TreeUsage(1, 36, 20, 40));
      tree.remove("/ada");
      assertThat(tree.usage("bob")).isEqualTo(new TreeUsage(0, 0, 20, 40));

      NodePermissions many = NodePermissions.of("ada", NodeAccess.NONE);
      for (int i = 0; i < NodePermissions.MOST_LISTED; i++) {
        many = many.with("%0100d".formatted(i), NodeAccess.READ);
      }
      NodePermissions large = many;
      tree.write("/n", new byte[0]);
      assertThatThrownBy(
              () ->
                  tree.transact(
                      t -> {
                        for (int i = 0; i < 50; i++) {
                          t.setPermissions("/n", large);
                        }
                        return true;
                      }))
          .hasMessageContaining("and 131072 bytes");
    }
  }

  @Test
  void copiesOfPagesOfAllTreesHaveOneBound() {
    TreePageCache cache = TreePageCache.ofBytes(20_000);
    for (int i = 0; i < 4; i++) {
      try (SharedTree tree =
          SharedTree.builder(factory(), "tree-" + i).settings(SMALL).pageCache(cache).open()) {
        for (int j = 0; j < 200; j++) {
          tree.write("/n" + j, bytes("v" + i));
        }
        assertThat(text(tree, "/n17")).isEqualTo("v" + i);
        assertThat(cache.sizeBytes()).isBetween(1L, 20_000L);
      }
    }
  }

  private List<String> pageKeys() {
    return store.entries().keySet().stream().filter(key -> key.startsWith("tree/")).toList();
  }

  @Test
  void replacedPagesAreRemoved() {
    try (SharedTree tree = small()) {
      for (int i = 0; i < 2_000; i++) {
        tree.write("/n" + i % 10, bytes("value " + i));
      }

      // About 60 checkpoints; those that were replaced more than 0.2 s ago are gone.
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> {
                for (int i = 0; i < 60; i++) {
                  tree.write("/n" + i % 10, bytes("further " + i));
                }
                assertThat(pageKeys()).hasSizeLessThan(60);
              });
    }
  }

  @Test
  void independentTransactionsNeverMeet() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    try (SharedTree tree = small()) {
      tree.write("/shared", bytes("s"));
      together(
          8,
          client -> {
            for (int i = 0; i < 100; i++) {
              int number = i;
              tree.transact(
                  t -> {
                    runs.incrementAndGet();
                    t.read("/shared");
                    t.write("/clients/" + client + "/n" + number % 5, bytes("v" + number));
                    return true;
                  });
            }
            return client;
          });

      // The node /clients is created once: others who create it at the same time run again.
      assertThat(runs.get()).isBetween(800, 807);
      assertThat(tree.children("/clients")).hasSize(8);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5})
  void contendingTransactionsAreAllCounted(int faults) throws Exception {
    store.faults(faults);
    AtomicInteger unknown = new AtomicInteger();
    try (SharedTree one = small();
        SharedTree other = small()) {
      one.write("/counter", bytes("0"));
      together(
          6,
          client -> {
            SharedTree tree = client % 2 == 0 ? one : other;
            for (int i = 0; i < 30; i++) {
              try {
                tree.transact(
                    t -> {
                      int count =
                          Integer.parseInt(new String(t.read("/counter").orElseThrow(), UTF_8));
                      t.write("/counter", bytes(String.valueOf(count + 1)));
                      t.write("/by/" + client + "/" + count, bytes("x"));
                      return count;
                    });
              } catch (TreeException.Unknown e) {
                unknown.incrementAndGet();
              }
            }
            return client;
          });

      int count = Integer.parseInt(text(one, "/counter"));
      assertThat(count).isBetween(180 - unknown.get(), 180);
      int recorded = 0;
      for (String client : other.children("/by")) {
        recorded += other.children("/by/" + client).size();
      }
      assertThat(recorded).isEqualTo(count);
      assertThat(one.usage("admin").nodes()).isEqualTo(count + 3L + other.children("/by").size());
    }
  }

  private interface Work {
    int of(int client) throws Exception;
  }

  private static void together(int clients, Work work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      List<Callable<Integer>> all = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        int client = i;
        all.add(() -> work.of(client));
      }
      for (Future<Integer> one : threads.invokeAll(all)) {
        one.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aTransactionOlderThanTheWindowContinuesIfItsReadsAreTheSame() {
    AtomicInteger runs = new AtomicInteger();
    try (SharedTree tree = small()) {
      tree.write("/mine", bytes("1"));
      tree.transact(
          t -> {
            t.read("/mine");
            if (runs.incrementAndGet() == 1) {
              for (int i = 0; i < 300; i++) {
                tree.write("/others/n" + i % 3, bytes("v" + i));
              }
            }
            t.write("/mine", bytes("2"));
            return true;
          });

      assertThat(runs).hasValue(1);

      tree.transact(
          t -> {
            t.read("/others/n1");
            if (runs.incrementAndGet() == 2) {
              for (int i = 0; i < 300; i++) {
                tree.write("/others/n" + i % 3, bytes("w" + i));
              }
            }
            t.write("/mine", bytes("3"));
            return true;
          });

      assertThat(runs).hasValue(3);
    }
  }

  @Test
  void whoMayNotReadOrWriteIsRefused() {
    try (SharedTree tree = small()) {
      tree.write("/ada", bytes("secret"));
      tree.setPermissions(
          "/ada", NodePermissions.of("ada", NodeAccess.NONE).with("bob", NodeAccess.READ));
      SharedTree ada = tree.as("ada");
      SharedTree bob = tree.as("bob");
      SharedTree eve = tree.as("eve");

      ada.write("/ada/x/y", bytes("1"));
      assertThat(text(bob, "/ada/x/y")).isEqualTo("1");
      assertThat(tree.node("/ada/x").orElseThrow().permissions().owner()).isEqualTo("ada");

      assertThatThrownBy(() -> bob.write("/ada/x/y", bytes("2")))
          .isInstanceOf(TreeException.AccessDenied.class)
          .hasMessage("bob needs write access; path=/ada/x/y");
      assertThatThrownBy(() -> bob.create("/ada/x/z", bytes("2")))
          .isInstanceOf(TreeException.AccessDenied.class);
      assertThatThrownBy(() -> bob.remove("/ada/x")).isInstanceOf(TreeException.AccessDenied.class);
      assertThatThrownBy(
              () -> bob.setPermissions("/ada", NodePermissions.of("bob", NodeAccess.BOTH)))
          .isInstanceOf(TreeException.AccessDenied.class);
      assertThatThrownBy(
              () -> ada.setPermissions("/ada", NodePermissions.of("bob", NodeAccess.BOTH)))
          .isInstanceOf(TreeException.AccessDenied.class);
      assertThatThrownBy(() -> eve.read("/ada")).isInstanceOf(TreeException.AccessDenied.class);
      assertThatThrownBy(() -> eve.children("/ada")).isInstanceOf(TreeException.AccessDenied.class);
      assertThatThrownBy(() -> eve.write("/eve", bytes("x")))
          .isInstanceOf(TreeException.AccessDenied.class)
          .hasMessage("eve needs write access; path=/");
      assertThatThrownBy(() -> eve.setQuota("eve", 1, 1))
          .isInstanceOf(TreeException.AccessDenied.class);
      assertThat(eve.exists("/ada/x")).isTrue();
      // Removing needs write access to the parent, too, which is the administrator's.
      assertThatThrownBy(() -> ada.remove("/ada")).isInstanceOf(TreeException.AccessDenied.class);
      assertThat(ada.remove("/ada/x")).isTrue();
    }
  }

  @Test
  void aChangeOfPermissionsMeetsATransactionThatUsedThem() {
    AtomicInteger runs = new AtomicInteger();
    try (SharedTree tree = small()) {
      tree.write("/ada", bytes(""));
      tree.setPermissions("/ada", NodePermissions.of("ada", NodeAccess.NONE));

      assertThatThrownBy(
              () ->
                  tree.as("ada")
                      .transact(
                          t -> {
                            int run = runs.incrementAndGet();
                            t.write("/ada/x", bytes("1"));
                            if (run == 1) {
                              tree.setPermissions(
                                  "/ada", NodePermissions.of("bob", NodeAccess.NONE));
                            }
                            return true;
                          }))
          .isInstanceOf(TreeException.AccessDenied.class);
      assertThat(runs).hasValue(2);
      assertThat(tree.exists("/ada/x")).isFalse();
    }
  }

  @Test
  void anOwnerIsHeldToItsQuotas() throws Exception {
    try (SharedTree tree =
        SharedTree.builder(factory(), "tree").settings(SMALL.quotas(20, 100)).open()) {
      tree.write("/ada", bytes(""));
      tree.setPermissions("/ada", NodePermissions.of("ada", NodeAccess.NONE));
      SharedTree ada = tree.as("ada");
      AtomicInteger made = new AtomicInteger();
      together(
          4,
          client -> {
            for (int i = 0; i < 10; i++) {
              try {
                ada.create("/ada/" + client + "-" + i, bytes("v"));
                made.incrementAndGet();
              } catch (TreeException.LimitExceeded e) {
                assertThat(e).hasMessage("not applied: ada would have more nodes than its quota");
              }
            }
            return client;
          });

      assertThat(made).hasValue(19);
      assertThat(ada.usage("ada")).isEqualTo(new TreeUsage(20, 19, 20, 100));
      assertThatThrownBy(() -> ada.write("/ada", new byte[82]))
          .hasMessage("not applied: the nodes of ada would have more bytes than its quota");
      ada.write("/ada", new byte[81]);
      tree.setQuota("ada", 21, 0);
      ada.write("/ada", new byte[0]);
      ada.create("/ada/more", new byte[0]);
      assertThatThrownBy(() -> ada.write("/ada", new byte[1]))
          .isInstanceOf(TreeException.LimitExceeded.class);
      assertThat(ada.remove("/ada/more")).isTrue();
      tree.write("/ada/of-admin", bytes("beyond the quota"));
      assertThat(ada.usage("ada").nodes()).isEqualTo(21);
    }
  }

  @Test
  void openTransactionsAndWatchesAreBounded() {
    try (SharedTree tree =
        SharedTree.builder(factory(), "tree").settings(SMALL.open(2, 1)).open()) {
      assertThatThrownBy(
              () -> tree.transact(t -> tree.transact(u -> tree.transact(v -> v.exists("/")))))
          .hasMessageContaining("at most 2 open transactions");
      assertThat(tree.<Boolean>transact(t -> tree.transact(u -> u.exists("/")))).isTrue();

      TreeWatch first = tree.watch("/", event -> {});
      assertThatThrownBy(() -> tree.watch("/", event -> {}))
          .hasMessageContaining("at most 1 watches");
      TreeWatch ofOther = tree.as("ada").watch("/", event -> {});
      first.close();
      first.close();
      TreeWatch second = tree.watch("/", event -> {});
      second.close();
      ofOther.close();
    }
  }

  @Test
  void aWatchReportsEachCommitOnceInOrder() {
    List<TreeEvent> events = new CopyOnWriteArrayList<>();
    List<Long> commits = new ArrayList<>();
    try (SharedTree tree = SharedTree.builder(factory(), "tree").open();
        SharedTree other = SharedTree.builder(factory(), "tree").open();
        TreeWatch watch = tree.watch("/a", events::add)) {
      assertThat(watch.since()).isEqualTo(1);
      for (int i = 0; i < 50; i++) {
        commits.add(other.write("/a/b" + i % 3, bytes("v" + i)));
        other.write("/ab", bytes("not below /a " + i));
      }
      other.remove("/a");
      commits.add(other.lastCommit());

      await().atMost(Duration.ofSeconds(60)).until(() -> events.size() >= commits.size());
      assertThat(events).extracting(TreeEvent::commit).isEqualTo(commits);
      assertThat(events).noneMatch(TreeEvent::isGap);
      assertThat(events.get(0).paths())
          .extracting(TreePath::toString)
          .containsExactly("/a", "/a/b0");
      assertThat(events.get(50).paths()).extracting(TreePath::toString).containsExactly("/a");
    }
  }

  @Test
  void aWatchOfATreeThatIsDeletedEndsWithAnEventThatSaysSo() {
    List<TreeEvent> events = new CopyOnWriteArrayList<>();
    List<TreeEvent> closed = new CopyOnWriteArrayList<>();
    AtomicObjectFactory other = factory();
    try (SharedTree tree = small()) {
      tree.watch("/absent", closed::add).close();
      TreeWatch watch = tree.watch("/a", events::add);
      tree.write("/a", bytes("1"));
      await().atMost(Duration.ofSeconds(20)).until(() -> events.size() == 1);

      SharedTree.delete(other, "tree");
      SharedTree.open(other, "tree").write("/a", bytes("of a new tree")); // A tree of that name.

      await().atMost(Duration.ofSeconds(20)).until(() -> events.size() == 2);
      assertThat(events.get(1))
          .isEqualTo(new TreeEvent(watch.path(), 2, List.of(), TreeEvent.Kind.TREE_DELETED));
      assertThat(events.get(1).isTreeDeleted()).isTrue();
      assertThat(closed).isEmpty();
      assertThatThrownBy(() -> tree.watch("/a", events::add))
          .isInstanceOf(TreeException.NoSuchTree.class);
    }
  }

  @Test
  void aListenerThatIsTooSlowGetsAGap() throws Exception {
    List<TreeEvent> events = new CopyOnWriteArrayList<>();
    java.util.concurrent.CountDownLatch go = new java.util.concurrent.CountDownLatch(1);
    try (SharedTree tree = small();
        TreeWatch watch =
            tree.watch(
                "/a",
                event -> {
                  events.add(event);
                  try {
                    go.await();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                });
        TreeWatch untouched = tree.watch("/quiet", events::add)) {
      tree.write("/a", bytes("0"));
      await().atMost(Duration.ofSeconds(60)).until(() -> events.size() == 1);
      for (int i = 0; i < 300; i++) {
        tree.write("/a", bytes("v" + i));
      }
      go.countDown();

      await().atMost(Duration.ofSeconds(60)).until(() -> events.size() >= 2);
      assertThat(events.get(1))
          .isEqualTo(new TreeEvent(watch.path(), 302, List.of(), TreeEvent.Kind.GAP));
      long next = tree.write("/a", bytes("again"));
      await().atMost(Duration.ofSeconds(60)).until(() -> events.size() >= 3);
      assertThat(events.get(2).commit()).isEqualTo(next);
      assertThat(events).noneMatch(event -> event.watched().equals(untouched.path()));
    }
  }

  @Test
  void aWatchShowsOnlyWhatTheUserMayRead() {
    List<TreeEvent> events = new CopyOnWriteArrayList<>();
    List<TreeEvent> ofAdmin = new CopyOnWriteArrayList<>();
    try (SharedTree tree = small();
        TreeWatch watch = tree.as("ada").watch("/", events::add);
        TreeWatch all = tree.watch("/", ofAdmin::add)) {
      tree.write("/secret", bytes("1"));
      tree.write("/open", bytes("1"));
      tree.setPermissions("/open", NodePermissions.of("admin", NodeAccess.READ));
      tree.write("/open/x", bytes("2"));
      tree.write("/secret", bytes("2"));

      await().atMost(Duration.ofSeconds(60)).until(() -> ofAdmin.size() == 5);
      assertThat(events)
          .isNotEmpty()
          .allSatisfy(
              event ->
                  assertThat(event.paths())
                      .allSatisfy(path -> assertThat(path.toString()).startsWith("/open")));
    }
  }

  @Test
  void aWatchReportsRemovalsOfReadableNodesAndNothingOfHiddenOnes() {
    List<String> events = new CopyOnWriteArrayList<>();
    List<TreeEvent> ofAdmin = new CopyOnWriteArrayList<>();
    java.util.concurrent.CountDownLatch go = new java.util.concurrent.CountDownLatch(1);
    NodePermissions open = NodePermissions.of("admin", NodeAccess.READ);
    NodePermissions hidden = NodePermissions.of("admin", NodeAccess.NONE);
    try (SharedTree tree = SharedTree.builder(factory(), "tree").open()) {
      tree.write("/hidden/open", bytes("1"));
      tree.setPermissions("/hidden/open", open);
      tree.write("/open", bytes("1"));
      tree.setPermissions("/open", open);
      tree.write("/open/hidden", bytes("1"));
      tree.setPermissions("/open/hidden", hidden);
      try (TreeWatch watch =
              tree.as("ada")
                  .watch(
                      "/",
                      event -> event.paths().forEach(p -> events.add(event.commit() + " " + p)));
          TreeWatch all =
              tree.watch(
                  "/",
                  event -> {
                    ofAdmin.add(event);
                    try {
                      go.await();
                    } catch (InterruptedException e) {
                      throw new IllegalStateException(e);
                    }
                  })) {
        tree.write("/first", bytes("stops the watches"));
        await().atMost(Duration.ofSeconds(60)).until(() -> ofAdmin.size() == 1);

        tree.write("/open/hidden", bytes("2")); // not to be seen
        tree.remove("/open/hidden"); // not to be seen
        final long removed = tree.lastCommit() + 1;
        tree.remove("/hidden/open"); // to be seen, though its parent is hidden
        tree.transact(
            t -> {
              t.create("/open/passing", bytes("1"));
              t.setPermissions("/open/passing", hidden);
              return true;
            }); // to be seen: it was readable for a moment
        tree.write("/open/passing", bytes("2")); // not to be seen
        tree.remove("/open/passing"); // not to be seen
        tree.write("/open", bytes("last"));
        long last = tree.lastCommit();
        go.countDown();

        await().atMost(Duration.ofSeconds(60)).until(() -> events.contains(last + " /open"));
        assertThat(events)
            .containsExactly(
                removed + " /hidden/open", (removed + 1) + " /open/passing", last + " /open");
      }
    }
  }

  @Test
  @Tag("nightly")
  void aNodeMayHaveVeryManyChildren() {
    try (SharedTree tree = SharedTree.builder(factory(), "tree").open()) {
      int count = 100_000;
      for (int i = 0; i < count; i += 1_000) {
        int from = i;
        tree.transact(
            t -> {
              for (int j = from; j < from + 1_000 - (from == 0 ? 1 : 0); j++) {
                t.create("/flat/c%06d".formatted(j), bytes("v"));
              }
              return true;
            });
      }
      tree.create("/flat/c000999", bytes("v"));

      List<String> children = tree.children("/flat");
      assertThat(children).hasSize(count).isSorted();
      assertThat(tree.<List<String>>transact(t -> t.children("/flat", "c050000", 3)))
          .containsExactly("c050001", "c050002", "c050003");
      assertThat(tree.usage("admin").nodes()).isEqualTo(count + 2);
      assertThatThrownBy(() -> tree.remove("/flat")).hasMessageContaining("at most 100000 nodes");
      tree.remove("/flat/c000000");
      tree.remove("/flat/c000001");
      assertThat(tree.remove("/flat")).isTrue();
      assertThat(tree.usage("admin").nodes()).isEqualTo(1);
      assertThat(tree.children("/")).isEmpty();
    }
  }

  @Test
  void limitsOfATransactionAreChecked() {
    try (SharedTree tree = small()) {
      assertThatThrownBy(() -> tree.write("/a", new byte[(64 << 10) + 1]))
          .hasMessageContaining("at most 65536 bytes; got 65537");
      tree.write("/a", new byte[64 << 10]);
      assertThat(tree.read("/a").orElseThrow()).hasSize(64 << 10);
      assertThatThrownBy(
              () ->
                  tree.transact(
                      t -> {
                        for (int i = 0; i < 3; i++) {
                          t.write("/b" + i, new byte[64 << 10]);
                        }
                        return true;
                      }))
          .hasMessageContaining("at most 1000 changes and 131072 bytes");
      assertThatThrownBy(
              () ->
                  tree.transact(
                      t -> {
                        for (int i = 0; i <= 1000; i++) {
                          t.write("/b", bytes("x"));
                        }
                        return true;
                      }))
          .isInstanceOf(TreeException.LimitExceeded.class);
      assertThat(tree.children("/")).containsExactly("a");
      String deep = "/n".repeat(TreePath.DEEPEST);
      tree.write(deep, bytes("deep"));
      assertThat(text(tree, deep)).isEqualTo("deep");
      assertThat(tree.remove("/n")).isTrue();
    }
  }

  @Test
  void whatATransactionThatWritesHasReadIsBounded() {
    try (SharedTree tree = small()) {
      assertThatThrownBy(
              () ->
                  tree.transact(
                      t -> {
                        for (int i = 0; i < 2_000; i++) {
                          t.exists("/" + ("%04d".formatted(i) + "x".repeat(200)));
                        }
                        t.write("/a", bytes("x"));
                        return true;
                      }))
          .isInstanceOf(TreeException.LimitExceeded.class)
          .hasMessageContaining("with the paths that it has read");
      assertThat(
              tree.<Boolean>transact(
                  t -> {
                    for (int i = 0; i < 2_000; i++) {
                      t.exists("/" + ("%04d".formatted(i) + "x".repeat(200)));
                    }
                    return true;
                  }))
          .isTrue();
    }
  }

  @Test
  void anExceptionOfTheBodyEndsTheTransactionWithoutEffect() {
    try (SharedTree tree = small()) {
      assertThatThrownBy(
              () ->
                  tree.transact(
                      t -> {
                        t.write("/a", bytes("x"));
                        throw new IllegalStateException("no");
                      }))
          .hasMessage("no");
      assertThat(tree.exists("/a")).isFalse();
      assertThatThrownBy(() -> tree.create("/", bytes("x")))
          .isInstanceOf(TreeException.NodeExists.class);
      assertThatThrownBy(() -> tree.remove("/")).isInstanceOf(IllegalArgumentException.class);
      assertThat(tree.remove("/nothing")).isFalse();
      assertThatThrownBy(() -> tree.children("/nothing"))
          .isInstanceOf(TreeException.NoSuchNode.class);
    }
  }

  @Test
  void anUnknownOutcomeIsReportedAsSuch() {
    AtomicObjectFactory factory =
        AtomicObjectFactory.builder(store)
            .timeout(Duration.ofMillis(500))
            .requestTimeout(Duration.ofMillis(100))
            .build();
    factories.add(factory);
    small().close();
    try (SharedTree tree =
        await()
            .atMost(Duration.ofSeconds(60))
            .ignoreException(TreeException.NotApplied.class) // on a machine that is too busy
            .until(() -> SharedTree.builder(factory, "tree").openExisting(), opened -> true)) {
      await()
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptions()
          .until(() -> tree.write("/a", bytes("1")) > 0);

      assertThatThrownBy(
              () ->
                  tree.transact(
                      t -> {
                        t.write("/a", bytes("2"));
                        store.down(true);
                        return true;
                      }))
          .isInstanceOf(TreeException.Unknown.class);
      assertThatThrownBy(() -> tree.read("/a")).isInstanceOf(TreeException.NotApplied.class);

      store.down(false);
      assertThat(text(tree, "/a")).isIn("1", "2");
    }
  }

  @Test
  void attemptsAreBounded() {
    AtomicInteger runs = new AtomicInteger();
    try (SharedTree tree =
        SharedTree.builder(factory(), "tree").settings(SMALL).maxAttempts(3).open()) {
      tree.write("/a", bytes("0"));

      assertThatThrownBy(
              () ->
                  tree.transact(
                      t -> {
                        t.read("/a");
                        tree.write("/a", bytes("" + runs.incrementAndGet()));
                        t.write("/b", bytes("x"));
                        return true;
                      }))
          .isInstanceOf(TreeException.Conflicts.class)
          .hasMessage("not applied: 3 attempts conflicted with changes of others; last at /a");
      assertThat(runs).hasValue(3);
    }
  }

  @Test
  void aDamagedPageIsReported() {
    try (SharedTree tree = small()) {
      for (int i = 0; i < 200; i++) {
        tree.write("/n" + i, bytes("v"));
      }
      await().atMost(Duration.ofSeconds(60)).until(() -> !pageKeys().isEmpty());
    }
    store.quiet();
    pageKeys().forEach(key -> store.remove(key).toCompletableFuture().join());

    try (SharedTree tree =
        SharedTree.builder(factory(), "tree").timeout(Duration.ofSeconds(1)).openExisting()) {
      assertThatThrownBy(() -> tree.read("/n1")).isInstanceOf(TreeException.Damaged.class);
      assertThatThrownBy(
              () -> {
                tree.setQuota("ada", 1, 1);
                for (int i = 0; i < 1_000; i++) {
                  tree.setQuota("ada", i, 1);
                }
              })
          .isInstanceOf(TreeException.NotApplied.class)
          .hasMessageContaining("the log is full");
      assertThatThrownBy(tree::checkpoint).isInstanceOf(TreeException.Damaged.class);
    }
  }
}
