package io.ensemble.catalog.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.catalog.record.CatalogRecords.Kind;
import io.ensemble.catalog.record.CatalogRecords.VersionedRecord;
import io.ensemble.site.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The outcomes of changes whose answers from ZooKeeper are lost. */
class ZooKeeperRecordsTest {

  private static final Bytes FIRST = Bytes.of((byte) 1);
  private static final Bytes SECOND = Bytes.of((byte) 2);
  private static final Bytes OTHERS = Bytes.of((byte) 9);

  /** How a change ends. */
  private enum Way {
    /** Performed, and the answer is lost. */
    UNHEARD,
    /** Not performed, and there is no answer. */
    LOST
  }

  /** Nodes in memory; changes end as {@link #ways} say, in order, and later ones succeed. */
  private static final class FakeNodes implements ZnodeOperations {

    private final Map<String, Node> nodes = new TreeMap<>();
    private final Deque<Way> ways = new ArrayDeque<>();
    private Runnable beforeReads = () -> {};
    private boolean readsFail;

    @Override
    public CompletionStage<Optional<Node>> read(String path) {
      beforeReads.run();
      if (readsFail) {
        return CompletableFuture.failedFuture(
            new CatalogException(Reason.UNAVAILABLE, "does not answer"));
      }
      return CompletableFuture.completedFuture(Optional.ofNullable(nodes.get(path)));
    }

    @Override
    public CompletionStage<List<String>> children(String path) {
      return CompletableFuture.completedFuture(
          nodes.keySet().stream()
              .filter(node -> node.startsWith(path + "/"))
              .map(node -> node.substring(path.length() + 1))
              .toList());
    }

    @Override
    public CompletionStage<Change> create(String path, byte[] data) {
      return change(path, data, -1);
    }

    @Override
    public CompletionStage<Change> write(String path, byte[] data, int version) {
      return change(path, data, version);
    }

    private CompletionStage<Change> change(String path, byte[] data, int version) {
      Way way = path.endsWith("/id") ? null : ways.poll();
      boolean fits = version == Optional.ofNullable(nodes.get(path)).map(Node::version).orElse(-1);
      if (fits && way != Way.LOST) {
        nodes.put(path, new Node(data, version + 1));
      }
      return way == null
          ? CompletableFuture.completedFuture(fits ? Change.DONE : Change.NOT_SO)
          : CompletableFuture.failedFuture(new CatalogException(Reason.UNKNOWN, "lost"));
    }
  }

  private final FakeNodes nodes = new FakeNodes();
  private final CatalogRecords records = new ZooKeeperRecords(nodes, "/e", () -> {});

  @BeforeEach
  void oneRecord() {
    assertThat(get(records.create(Kind.SITE, "s", FIRST))).isTrue();
  }

  private VersionedRecord held() {
    return get(records.get(Kind.SITE, "s")).orElseThrow();
  }

  private static <T> T get(CompletionStage<T> stage) {
    assertThat(stage.toCompletableFuture()).isDone();
    try {
      return stage.toCompletableFuture().join();
    } catch (CompletionException e) {
      throw (RuntimeException) e.getCause();
    }
  }

  private void anotherGoesOn() {
    ZnodeOperations.Node now = nodes.nodes.get("/e/site/s");
    nodes.nodes.put("/e/site/s", new ZnodeOperations.Node(OTHERS.array(), now.version() + 1));
  }

  @Test
  void nothingIsMadeInAnotherCatalogThanTheOneThatIsKnown() {
    nodes.nodes.clear(); // Wiped, while this process has its id.

    assertThatThrownBy(() -> get(records.create(Kind.SITE, "t", SECOND)))
        .isInstanceOfSatisfying(
            CatalogException.class,
            refused -> assertThat(refused.reason()).isEqualTo(Reason.UNAVAILABLE));

    assertThat(nodes.nodes).isEmpty();
  }

  @Test
  void aChangeThatNobodyHeardOfWasMade() {
    VersionedRecord before = held();
    nodes.ways.add(Way.UNHEARD);

    assertThat(get(records.replace(Kind.SITE, "s", before, SECOND))).isTrue();
    assertThat(held().text()).isEqualTo(SECOND);
  }

  @Test
  void aCreationThatNobodyHeardOfWasMade() {
    nodes.ways.add(Way.UNHEARD);

    assertThat(get(records.create(Kind.SITE, "t", SECOND))).isTrue();
    assertThat(get(records.list(Kind.SITE))).containsExactly("s", "t");
  }

  @Test
  void aDeletionThatNobodyHeardOfWasMade() {
    nodes.ways.add(Way.UNHEARD);

    assertThat(get(records.delete(Kind.SITE, "s", held()))).isTrue();
    assertThat(get(records.get(Kind.SITE, "s"))).isEmpty();
    assertThat(get(records.list(Kind.SITE))).isEmpty();
  }

  @Test
  void aChangeThatWasLostIsMadeAgain() {
    nodes.ways.addAll(List.of(Way.LOST, Way.LOST, Way.UNHEARD));

    assertThat(get(records.replace(Kind.SITE, "s", held(), SECOND))).isTrue();
    assertThat(held().text()).isEqualTo(SECOND);
  }

  @Test
  void aChangeThatIsLostAgainAndAgainIsUnknown() {
    for (int i = 0; i < 10; i++) {
      nodes.ways.add(Way.LOST);
    }

    assertUnknown(records.replace(Kind.SITE, "s", held(), SECOND));
    assertThat(nodes.ways).as("a bound").hasSize(5);
  }

  /** The server performs the change and does not answer afterwards. */
  @Test
  void whatCannotBeLookedUpAfterALostAnswerIsUnknown() {
    VersionedRecord before = held();
    nodes.ways.add(Way.UNHEARD);
    nodes.readsFail = true;

    assertUnknown(records.replace(Kind.SITE, "s", before, SECOND));

    nodes.readsFail = false;
    assertThat(held().text()).as("it was made").isEqualTo(SECOND);
  }

  @Test
  void anothersChangeInItsPlaceIsNoSuccess() {
    VersionedRecord before = held();
    nodes.ways.add(Way.LOST);
    nodes.beforeReads = once(this::anotherGoesOn);

    assertThat(get(records.replace(Kind.SITE, "s", before, SECOND))).isFalse();
    assertThat(held().text()).isEqualTo(OTHERS);
  }

  /** The change may have been made, and the other process may have built on it. */
  @Test
  void whenOthersHaveGoneOnItIsUnknown() {
    VersionedRecord before = held();
    nodes.ways.add(Way.UNHEARD);
    nodes.beforeReads = once(this::anotherGoesOn);

    assertUnknown(records.replace(Kind.SITE, "s", before, SECOND));
  }

  @Test
  void whoIsTooLateIsToldSoWithoutAnotherLook() {
    VersionedRecord before = held();
    anotherGoesOn();
    nodes.beforeReads =
        () -> {
          throw new AssertionError("a look");
        };

    assertThat(get(records.replace(Kind.SITE, "s", before, SECOND))).isFalse();
  }

  @Test
  void whereAnotherCatalogIsInItsPlaceNothingCountsAsDeleted() {
    nodes.nodes.clear();

    assertThatThrownBy(() -> get(records.get(Kind.SITE, "s")))
        .isInstanceOf(CatalogException.class)
        .hasMessageContaining("removed or replaced")
        .satisfies(e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.UNAVAILABLE));
    assertThatThrownBy(() -> get(records.list(Kind.SITE))).isInstanceOf(CatalogException.class);
  }

  @Test
  void whoHasOnlyReadKnowsTheCatalogAgain() {
    CatalogRecords reader = new ZooKeeperRecords(nodes, "/e", () -> {});
    assertThat(get(reader.get(Kind.SITE, "s"))).isPresent();
    CatalogRecords lister = new ZooKeeperRecords(nodes, "/e", () -> {});
    assertThat(get(lister.list(Kind.SITE))).containsExactly("s");

    nodes.nodes.clear();
    isAway(reader);
    isAway(lister);
    get(new ZooKeeperRecords(nodes, "/e", () -> {}).create(Kind.SITE, "other", FIRST));

    isAway(reader);
    isAway(lister);
  }

  private static void isAway(CatalogRecords records) {
    assertThatThrownBy(() -> get(records.get(Kind.SITE, "s")))
        .isInstanceOf(CatalogException.class)
        .satisfies(e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.UNAVAILABLE));
    assertThatThrownBy(() -> get(records.list(Kind.SITE))).isInstanceOf(CatalogException.class);
  }

  @Test
  void theCatalogIsKnownToWhoLookedBeforeItWasThereToo() {
    nodes.nodes.clear();
    CatalogRecords early = new ZooKeeperRecords(nodes, "/e", () -> {});
    assertThat(get(early.get(Kind.SITE, "s"))).isEmpty();
    boolean[] looked = {false};
    nodes.beforeReads =
        () -> { // The catalog is created after the first read of its id.
          if (!looked[0]) {
            looked[0] = true;
            return;
          }
          nodes.beforeReads = () -> {};
          get(new ZooKeeperRecords(nodes, "/e", () -> {}).create(Kind.SITE, "s", FIRST));
        };
    assertThat(get(early.get(Kind.SITE, "s"))).isPresent();

    nodes.nodes.clear();

    isAway(early);
  }

  private static Runnable once(Runnable action) {
    boolean[] ran = {false};
    return () -> {
      if (!ran[0]) {
        ran[0] = true;
        action.run();
      }
    };
  }

  private static void assertUnknown(CompletionStage<?> change) {
    assertThatThrownBy(() -> get(change))
        .isInstanceOf(CatalogException.class)
        .satisfies(e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.UNKNOWN));
  }
}
