package io.ensemble.cli.caches;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.explain.AdviceReport;
import io.ensemble.cli.migrations.ChangeWait;
import io.ensemble.cli.migrations.ChangeWait.ChangeResult;
import io.ensemble.cli.migrations.PartOptions;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.TextTable;
import io.ensemble.reconfiguration.ChangeRun;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "alter",
    description = {
      "Change the sites, mode or acknowledgement of a cache while clients use it.",
      "Copies all keys to new stores, which need space beside the present ones, also at sites that "
          + "stay. Then no operation is answered for 2.2 seconds; in a change to WEAK or SWMR, "
          + "until all keys have been compared once more. No acknowledged write is lost. Waits "
          + "for the end; Ctrl-C ends the wait and leaves the change begun, until 'migrations "
          + "resume' or a process with maintenance carries it out. May be repeated; another "
          + "change during this one is refused.",
      "Of a distributed cache, changes the parts: keys that move to another part cannot be used "
          + "while they move; all others can. Of a cache with shards, changes one shard after the "
          + "other."
    })
public final class CachesAlterCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();
  @Mixin PartOptions parts = new PartOptions();

  @Parameters(paramLabel = "NAME", description = "Name of the cache.")
  String name = "";

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description = "New mode: ${COMPLETION-CANDIDATES}, case-insensitive.")
  @Nullable Mode mode;

  @Option(
      names = "--sites",
      split = ",",
      paramLabel = "SITE",
      description = "New sites, in order of preference.")
  List<String> sites = List.of();

  @Option(names = "--add-site", split = ",", paramLabel = "SITE", description = "Site to add.")
  List<String> added = List.of();

  @Option(names = "--drop-site", split = ",", paramLabel = "SITE", description = "Site to remove.")
  List<String> dropped = List.of();

  @Option(
      names = "--replicas",
      paramLabel = "N",
      description =
          "In SWMR and MWMR: number of replicas, each on its own node, distributed over the sites; "
              + "usually 3, 5, 7 or 9.")
  @Nullable Integer replicas;

  @Option(
      names = "--ack",
      paramLabel = "ACK",
      description =
          "Acknowledgement of writes, as of 'caches create'; default: unchanged if the mode "
              + "supports it, otherwise the default of the mode.")
  @Nullable Acknowledgement acknowledgement;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Maximum number of keys copied per second while the cache serves; default: no limit.")
  long rate;

  @Option(
      names = "--no-wait",
      description =
          "Only begin the change. './ensemble migrations resume', or a process with maintenance, "
              + "carries it out.")
  boolean noWait;

  @Option(
      names = "--advise",
      description =
          "Change nothing: print which sites and near caches would be better, by where the "
              + "operations of the last hour came from (see 'heat'), and the expected gain. Takes "
              + "no other option.")
  boolean advise;

  @Override
  public Integer call() {
    checkOptions();
    if (advise) {
      try (FederationConnection connected = federation.connect()) {
        return advise(connected);
      }
    }
    if (parts.areGiven()) {
      try (FederationConnection connected = federation.connect()) {
        return parts.alter(connected, name, reporting);
      }
    }
    try (FederationConnection connected = federation.connect()) {
      return changeEach(
          connected,
          name,
          "altering",
          reporting,
          (cache, progressLine) -> alter(connected, cache, progressLine));
    }
  }

  /** Advises for the cache, or for each of its shards by the operations on the whole. */
  private int advise(FederationConnection connected) {
    for (String cache : connected.shardsOrItself(name)) {
      StoredDefinition stored =
          connected.manager().stored(cache).orElseThrow(() -> connected.noSuchCache(cache));
      AdviceReport report = AdviceReport.of(connected.manager(), stored, name);
      reporting.report(
          report,
          out -> {
            TextTable.line(out, "cache", cache);
            TextTable.line(out, "sites", String.join(",", stored.definition().siteNames()));
            report.show(out);
          });
    }
    return ExitCode.OK;
  }

  /**
   * Changes a cache, or each of its shards in turn, and reports the end of each change.
   *
   * @return the exit code of the first change that was aborted; the shards after it stay unchanged
   */
  static int changeEach(
      FederationConnection connected,
      String name,
      String doing,
      ReportOptions reporting,
      BiFunction<String, ProgressLine, ChangeResult> change) {
    for (String cache : connected.shardsOrItself(name)) {
      try (ProgressLine progressLine = ProgressLine.on(reporting.err(), doing + " " + cache)) {
        int code = show(reporting, change.apply(cache, progressLine));
        if (code != ExitCode.OK) {
          return code;
        }
      }
    }
    return ExitCode.OK;
  }

  private ChangeResult alter(
      FederationConnection connected, String cache, ProgressLine progressLine) {
    StoredDefinition stored =
        connected.manager().stored(cache).orElseThrow(() -> connected.noSuchCache(cache));
    CacheDefinition to = definition(stored.definition(), connected.knownSites());
    if (to.equals(stored.definition()) && stored.change().isEmpty()) {
      return ChangeResult.of("unchanged", stored, 0, 0);
    }
    ChangeRun run = connected.manager().changes().alter(to, rate);
    if (noWait) {
      StoredDefinition now = connected.manager().stored(cache).orElse(stored);
      return ChangeResult.of("begun", now, 0, 0);
    }
    boolean isSo = to.equals(stored.definition()); // Its remaining stores must be removed.
    long before = isSo ? ChangeWait.formerConfiguration(stored) : stored.configuration();
    ChangeResult ended = ChangeWait.awaitEnd(connected.manager(), cache, before, run, progressLine);
    progressLine.finish();
    return isSo ? ended.orUnchanged() : ended;
  }

  private void checkOptions() {
    boolean places = !sites.isEmpty() || !added.isEmpty() || !dropped.isEmpty();
    boolean cache = mode != null || acknowledgement != null || replicas != null || places;
    if (advise) {
      if (cache || parts.areGiven() || noWait || rate != 0) {
        throw new CommandException(
            ExitCode.USAGE, "--advise changes nothing, and excludes options that change the cache");
      }
      return;
    }
    if (cache == parts.areGiven()) {
      throw new CommandException(
          ExitCode.USAGE,
          "no change requested: give one of --mode, --sites, --add-site, --drop-site, --replicas, "
              + "--ack, --advise; or for a distributed cache --add-part, --remove-part, --resume");
    }
    if (!sites.isEmpty() && !(added.isEmpty() && dropped.isEmpty())) {
      throw new CommandException(ExitCode.USAGE, "--sites excludes --add-site and --drop-site");
    }
    if (rate < 0) {
      throw new CommandException(
          ExitCode.USAGE, "--rate must be 0 or more keys per second; got " + rate);
    }
  }

  private CacheDefinition definition(CacheDefinition now, List<String> known) {
    Mode wanted = mode == null ? now.mode() : mode;
    Acknowledgement ack = acknowledgement;
    if (ack == null && now.acknowledgement().isFor(wanted)) {
      ack = now.acknowledgement();
    }
    CacheDefinition.Builder builder =
        CacheDefinition.of(now.name(), wanted)
            .sites(newSites(now, known))
            .deadline(now.deadline())
            .maxValueBytes(now.maxValueBytes())
            .tombstoneGrace(now.tombstoneGrace())
            .privacy(now.privacy())
            .siblings(wanted == now.mode() ? now.siblings() : 1);
    if (replicas != null) {
      builder.replicas(replicas);
    }
    if (ack != null) {
      builder.acknowledgement(ack);
      if (ack == Acknowledgement.PRIMARY) {
        builder.window(now.window());
      }
    }
    return builder.build();
  }

  private boolean isShard(CacheDefinition cache) {
    return !cache.name().equals(name);
  }

  /**
   * The replicas of the present sites, if no site is named; otherwise the sites, each of which gets
   * new replicas.
   */
  private List<String> newSites(CacheDefinition cache, List<String> known) {
    List<String> now = cache.siteNames();
    if (sites.isEmpty() && added.isEmpty() && dropped.isEmpty()) {
      boolean stays = replicas == null && (mode == null || mode == cache.mode());
      return stays ? cache.sites() : now;
    }
    for (String site : sites) {
      PlacementOptions.check(site, known);
    }
    List<String> placed = new ArrayList<>(sites.isEmpty() ? now : sites);
    for (String site : dropped) {
      if (isShard(cache)) {
        PlacementOptions.check(site, known);
        boolean unused = placed.remove(site); // An earlier run of the command altered it.
      } else if (!placed.remove(site)) {
        throw new CommandException(
            ExitCode.USAGE,
            "the cache has no replica at '%s'; its sites are %s".formatted(site, now));
      }
    }
    for (String site : added) {
      PlacementOptions.check(site, known);
      if (placed.contains(site)) {
        if (isShard(cache)) {
          continue; // An earlier run of the command altered it.
        }
        throw new CommandException(
            ExitCode.USAGE, "the cache has a replica at '%s' already".formatted(site));
      }
      placed.add(site);
    }
    boolean isSo = isShard(cache) && replicas == null && placed.equals(now);
    return isSo ? cache.sites() : placed;
  }

  /** Reports the end of a change, and returns its exit code. */
  public static int show(ReportOptions reporting, ChangeResult ended) {
    reporting.report(ended, out -> out.printf("%s: %s%n", ended.outcome(), ended.text()));
    if (!ended.left().isEmpty() && !ended.outcome().equals("begun")) {
      reporting
          .err()
          .printf(
              "ensemble: could not be removed, and are no longer used: %s%n",
              String.join(", ", ended.left()));
    }
    return ended.outcome().equals("cancelled") ? ExitCode.FAILED : ExitCode.OK;
  }
}
