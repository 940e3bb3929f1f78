package io.ensemble.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.site.SiteEntries;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.site.SiteEntry.State;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sites are added, moved and removed while a process runs. */
class CatalogSitesTest {

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final InMemoryDefinitions catalog = new InMemoryDefinitions();
  private final SiteEntries entries = catalog.sites();
  private final StubSite given = new StubSite("given");
  private final List<OpenSite> opened = new ArrayList<>();
  private final CatalogSites sites =
      new CatalogSites(Map.of("given", given), entries, this::open, scheduler);

  /** A site of a catalog entry; counts the notices that it may have moved. */
  private static final class OpenSite implements Site {
    private final Supplier<SiteEntry> entry;
    private int moves;
    private boolean closed;

    OpenSite(Supplier<SiteEntry> entry) {
      this.entry = entry;
    }

    @Override
    public String name() {
      return entry.get().name();
    }

    @Override
    public CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Void> remove(String store, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Set<String>> stores(Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void moved() {
      moves++;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private Site open(Supplier<SiteEntry> entry) {
    OpenSite site = new OpenSite(entry);
    opened.add(site);
    return site;
  }

  private static SiteEntry entry(String name, int port) {
    return SiteEntry.open(name, List.of(new Endpoint("127.0.0.1", port)), SiteStorage.MEMORY);
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void aSiteThatIsEnteredLaterIsLearntWhenItIsWanted() {
    assertThat(sites.find("oslo")).isEmpty();
    now(sites.learn(List.of("oslo")));
    assertThat(sites.find("oslo")).isEmpty();
    now(entries.create(entry("oslo", 1)));
    assertThat(sites.find("oslo")).as("nobody has asked").isEmpty();

    now(sites.learn(List.of("given", "oslo")));

    assertThat(sites.names()).containsExactly("given", "oslo");
    assertThat(sites.find("oslo")).containsSame(opened.get(0));
    assertThat(sites.of("oslo")).isSameAs(opened.get(0));
    assertThat(opened).as("opened once").hasSize(1);
  }

  @Test
  void whatCannotBeOpenedIsTriedAgainAfterAWhileOrWhenItsEntryIsAnother() {
    AtomicInteger tries = new AtomicInteger();
    CatalogSites refusing =
        new CatalogSites(
            Map.of(),
            entries,
            entry -> {
              tries.incrementAndGet();
              throw new IllegalArgumentException("no password; port=" + entry.get().endpoints());
            },
            scheduler);
    now(entries.create(entry("oslo", 1)));
    now(refusing.learn(List.of("oslo")));
    tries.set(0);

    for (int i = 0; i < 100; i++) {
      assertThat(refusing.find("oslo")).isEmpty();
    }
    assertThat(tries).hasValueLessThanOrEqualTo(1);
    scheduler.advance(CatalogSites.INTERVAL.plusMillis(1));
    tries.set(0);
    assertThat(refusing.find("oslo")).isEmpty();
    assertThat(refusing.find("oslo")).isEmpty();
    assertThat(tries).hasValue(1);

    now(entries.replace(entry("oslo", 1).at(List.of(new Endpoint("127.0.0.1", 2)))));
    now(refusing.look());
    assertThat(refusing.find("oslo")).isEmpty();
    assertThat(tries).hasValue(2);
    refusing.close();
  }

  @Test
  void aSiteThatIsGivenWinsOverAnEntry() {
    now(entries.create(entry("given", 1)));

    now(sites.look());

    assertThat(sites.of("given")).isSameAs(given);
    assertThat(opened).isEmpty();
  }

  @Test
  void aSiteThatMovesIsToldSoAndIsWhereItsEntrySays() {
    now(entries.create(entry("oslo", 1)));
    now(sites.learn(List.of("oslo")));
    sites.of("oslo");
    now(entries.replace(entry("oslo", 1).at(List.of(new Endpoint("127.0.0.1", 2)))));

    scheduler.advance(CatalogSites.INTERVAL);

    assertThat(opened.get(0).entry.get().endpoints()).containsExactly(new Endpoint("127.0.0.1", 2));
    assertThat(opened.get(0).moves).isOne();
    scheduler.advance(CatalogSites.INTERVAL);
    assertThat(opened.get(0).moves).as("it may not have got there yet").isEqualTo(2);
  }

  @Test
  void aSiteThatGoesIsClosedAndOneThatComesBackIsAnother() {
    now(entries.create(entry("oslo", 1)));
    now(sites.learn(List.of("oslo")));
    sites.of("oslo");
    now(entries.delete(entry("oslo", 1)));

    scheduler.advance(CatalogSites.INTERVAL);

    assertThat(opened.get(0).closed).isTrue();
    assertThat(sites.find("oslo")).isEmpty();
    assertThatThrownBy(() -> sites.of("oslo"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("[given]");
    now(entries.create(entry("oslo", 3)));
    now(sites.learn(List.of("oslo")));
    assertThat(sites.of("oslo")).isSameAs(opened.get(1));
  }

  @Test
  void aSiteWhoseEntryCannotBeReadStaysOpen(@TempDir Path directory) throws IOException {
    SiteEntries files = FileDefinitions.in(directory).sites();
    CatalogSites all = new CatalogSites(Map.of(), files, this::open, scheduler);
    now(files.create(entry("oslo", 1)));
    now(all.learn(List.of("oslo")));
    Site open = all.of("oslo");
    Files.writeString(directory.resolve("oslo.site"), "garbage");

    now(all.look());

    assertThat(opened.get(0).closed).isFalse();
    assertThat(all.of("oslo")).isSameAs(open);
    all.close();
  }

  @Test
  void nobodyLooksWhileNoSiteOfTheCatalogIsOpen() {
    now(entries.create(entry("oslo", 1)));
    now(sites.learn(List.of("oslo")));
    assertThat(scheduler.timers()).isZero();

    sites.of("oslo");

    assertThat(scheduler.timers()).isOne();
    sites.close();
    assertThat(scheduler.timers()).isZero();
    assertThat(opened.get(0).closed).isTrue();
    assertThat(given.closed).as("not ours").isFalse();
    assertThat(sites.find("oslo")).isEmpty();
  }

  @Test
  void nothingMayComeToASiteThatIsDrainedOrUnknown() {
    now(entries.create(entry("oslo", 1)));
    now(sites.mayHold(List.of("oslo", "given")));
    now(entries.replace(entry("oslo", 1).in(State.DRAINING)));

    assertThatThrownBy(() -> now(sites.mayHold(List.of("oslo"))))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("drained")
        .hasMessageContaining("oslo");
    assertThatThrownBy(() -> now(sites.mayHold(List.of("given", "rome"))))
        .hasCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'rome'");
  }
}
