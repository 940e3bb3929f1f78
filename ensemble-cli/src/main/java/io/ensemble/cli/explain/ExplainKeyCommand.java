package io.ensemble.cli.explain;

import io.ensemble.DistributedEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.EntryView;
import io.ensemble.SiteView;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.option.KeysetOption;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import io.ensemble.stamp.Stamp;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "key",
    description = {
      "Show the entry of a key at each site, and the response time of the site.",
      "Reads from the sites directly, independent of the state of the cache; changes nothing. "
          + "Fails if no site answers. Of a distributed cache: the part that has the key."
    })
final class ExplainKeyCommand implements Callable<Integer> {

  private static final String ABSENT = "absent";
  private static final int WRITER_DIGITS = 8;

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();
  @Mixin KeysetOption keyset = new KeysetOption();

  @Parameters(index = "0", paramLabel = "CACHE", description = "Name of the cache.")
  String cache = "";

  @Parameters(index = "1", paramLabel = "KEY", description = "The key, a string.")
  String key = "";

  @Override
  public Integer call() {
    // The placement of a key does not depend on the local site, but a cache in frontier mode
    // requires one.
    String anySite = federation.state().siteNames().get(0);
    try (FederationConnection connected = federation.connect(anySite, keyset, cache)) {
      String part = innermost(connected.cache(cache), key);
      StoredDefinition stored =
          connected.manager().stored(part).orElseThrow(() -> connected.noSuchCache(part));
      List<SiteView> views = connected.manager().explain(part, key);
      KeyReport explained = KeyReport.of(stored, key, views);
      reporting.report(explained, out -> show(out, explained));
      return views.stream().allMatch(view -> view.failure().isPresent())
          ? ExitCode.FAILED
          : ExitCode.OK;
    }
  }

  /** The cache itself; for a distributed cache the part with the key. */
  private static String innermost(EnsembleCache<String, Object> cache, String key) {
    EnsembleCache<String, Object> part = cache;
    while (part instanceof DistributedEnsembleCache<String, Object> distributed) {
      part = distributed.locate(key);
    }
    return part.getName();
  }

  /**
   * One site.
   *
   * @param answered whether it answered
   * @param stamp the stamp of the write that it holds; null if it holds none or did not answer
   * @param latest whether that is the latest stamp at any site
   * @param state {@code value}, {@code removed} or {@code absent}; null if it did not answer
   * @param protocol further state of the protocol; null for none
   * @param bytes the size of the encoded value
   */
  private record SiteCopyReport(
      String site,
      @Nullable String store,
      boolean answered,
      double millis,
      @Nullable String stamp,
      boolean latest,
      @Nullable String state,
      @Nullable String protocol,
      @Nullable Integer bytes,
      @Nullable String digest,
      @Nullable String expires,
      @Nullable String error) {

    static SiteCopyReport of(SiteView view, Optional<Stamp> latest) {
      Optional<EntryView> entry = view.entry();
      Optional<EntryView> live = entry.filter(there -> !there.removed());
      boolean hasAnswered = view.failure().isEmpty();
      return new SiteCopyReport(
          view.site(),
          view.store().orElse(null),
          hasAnswered,
          view.took().toNanos() / 1e6,
          entry.map(there -> text(there.stamp())).orElse(null),
          hasAnswered && entry.map(EntryView::stamp).equals(latest),
          hasAnswered
              ? entry.map(there -> there.removed() ? "removed" : "value").orElse(ABSENT)
              : null,
          entry.map(EntryView::state).filter(words -> !words.isEmpty()).orElse(null),
          live.map(EntryView::bytes).orElse(null),
          live.map(EntryView::digest).orElse(null),
          live.flatMap(EntryView::end).map(Instant::toString).orElse(null),
          view.failure().orElse(null));
    }

    private static String text(Stamp stamp) {
      return Instant.EPOCH.plus(stamp.micros(), ChronoUnit.MICROS)
          + " by "
          + stamp.writer().toString().substring(0, WRITER_DIGITS);
    }
  }

  private record KeyReport(
      String cache,
      String key,
      String mode,
      long configuration,
      @Nullable String change,
      List<SiteCopyReport> sites) {

    static KeyReport of(StoredDefinition stored, String key, List<SiteView> views) {
      Optional<Stamp> latest =
          views.stream()
              .flatMap(view -> view.entry().stream())
              .map(EntryView::stamp)
              .max(Comparator.naturalOrder());
      return new KeyReport(
          stored.definition().name(),
          key,
          stored.definition().mode().name().toLowerCase(Locale.ROOT),
          stored.configuration(),
          stored.change().map(under -> under.step().name().toLowerCase(Locale.ROOT)).orElse(null),
          views.stream().map(view -> SiteCopyReport.of(view, latest)).toList());
    }
  }

  private static void show(PrintWriter out, KeyReport explained) {
    out.printf(
        "key '%s' in cache '%s', %s, configuration %d%s%n%n",
        explained.key,
        explained.cache,
        explained.mode,
        explained.configuration,
        explained.change == null ? "" : ", change in progress: " + explained.change);
    TextTable table =
        new TextTable(
            "site", "answered", "time", "stamp", "latest", "state", "bytes", "digest", "why");
    for (SiteCopyReport at : explained.sites) {
      String why = at.error == null ? at.protocol : at.error;
      table.row(
          at.site,
          at.answered ? "yes" : "no",
          "%.2f ms".formatted(at.millis),
          at.stamp,
          at.answered ? (at.latest ? "yes" : "older") : null,
          at.state,
          at.bytes,
          at.digest,
          why == null ? "" : why);
    }
    table.print(out, Terminal.coloursOnOut());
  }
}
