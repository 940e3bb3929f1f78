package io.ensemble.cli.caches;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.DistributedDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.Privacy;
import io.ensemble.catalog.definition.CacheExistsException;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.option.KeysetOption;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.placement.PlacementPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "create",
    description = {
      "Create a cache.",
      "Succeeds also if the cache exists with equal settings; refused if it exists with others.",
      "The sites are named, or chosen by a placement policy; 'explain placement' shows the reasons."
    })
final class CachesCreateCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();
  @Mixin KeysetOption keyset = new KeysetOption();

  @Parameters(paramLabel = "NAME", description = "Name of the cache.")
  String name = "";

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description =
          "Mode: ${COMPLETION-CANDIDATES}, case-insensitive; required without --distributed. With "
              + "--distributed, the mode of parts at single sites, MWMR by default.")
  @Nullable Mode mode;

  @Mixin PlacementOptions placement = new PlacementOptions();
  @Mixin DistributedOptions distributed = new DistributedOptions();

  @Option(
      names = "--ack",
      paramLabel = "ACK",
      description =
          "Acknowledgement of writes: ${COMPLETION-CANDIDATES}, case-insensitive; LOCAL (default) "
              + "or MAJORITY in WEAK, MAJORITY (default) or PRIMARY in SWMR, MAJORITY in MWMR.")
  @Nullable Acknowledgement acknowledgement;

  @Option(
      names = "--window-writes",
      paramLabel = "N",
      description =
          "With --ack PRIMARY: maximum number of writes that a failover may drop; default: 1000.")
  @Nullable Integer windowWrites;

  @Option(
      names = "--window-age",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "With --ack PRIMARY: maximum age of the oldest of these writes before further writes "
              + "wait; default: 2s.")
  @Nullable Duration windowAge;

  @Option(
      names = "--replicas",
      paramLabel = "N",
      description =
          "In SWMR and MWMR: number of replicas, each on its own node, distributed over the sites; "
              + "3, 5, 7 or 9 survive the loss of 1, 2, 3 or 4 nodes. Default: one at each site; 3 "
              + "at the only site, 2 at each of two sites in MWMR, if these have enough nodes.")
  @Nullable Integer replicas;

  @Option(
      names = "--shards",
      paramLabel = "N",
      description =
          "Partition the keys over N shards: caches with these settings, listed by 'describe'. The "
              + "cache then uses all nodes of its sites, and the loss of a node affects only the "
              + "shards that have a replica there. Use several times the number of nodes of a "
              + "site. Default: no shards.")
  @Nullable Integer shards;

  @Option(
      names = "--siblings",
      paramLabel = "N",
      description =
          "In WEAK: keep at most N concurrent values of a key; usually 16. Default: 1, the last "
              + "writer wins.")
  @Nullable Integer siblings;

  @Option(
      names = "--private",
      description =
          "Clients encrypt the values with the keyset of --keyset, which sites and the catalog do "
              + "not have.")
  boolean values;

  @Option(names = "--private-keys", description = "With --private: clients also encrypt the keys.")
  boolean keys;

  @Option(
      names = "--deadline",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Deadline of a call, such as 500ms or 5s; default: 5s.")
  @Nullable Duration deadline;

  @Override
  public Integer call() {
    boolean dealtOut = distributed.isWanted();
    if (!dealtOut && mode == null) {
      throw new CommandException(ExitCode.USAGE, "a mode is required: --mode weak, swmr or mwmr");
    }
    if (dealtOut
        && (placement.isGiven()
            || acknowledgement != null
            || deadline != null
            || values
            || replicas != null
            || shards != null
            || siblings != null)) {
      throw new CommandException(
          ExitCode.USAGE,
          "sites, --replicas, --shards, --ack, --siblings, --private and --deadline belong to the "
              + "parts: create the parts first, then use --distributed; a private cache cannot be "
              + "a part");
    }
    if (shards != null && (shards < 1 || shards > DistributedDefinition.MOST_PARTS)) {
      throw new CommandException(
          ExitCode.USAGE,
          "--shards must be 1 to %d; got %d".formatted(DistributedDefinition.MOST_PARTS, shards));
    }
    if (shards != null && values) {
      throw new CommandException(
          ExitCode.USAGE, "--shards excludes --private: an encrypted entry is bound to one cache");
    }
    if (keys && !values) {
      throw new CommandException(ExitCode.USAGE, "--private-keys requires --private");
    }
    keyset.check(values);
    try (FederationConnection connected = connect()) {
      return dealtOut
          ? createDistributed(connected)
          : create(connected, Objects.requireNonNull(mode));
    }
  }

  /** Connects near some site, because a cache in frontier mode requires a local site. */
  private FederationConnection connect() {
    return federation.connectOrCreate(
        distributed.frontier ? federation.state().siteNames().get(0) : null, keyset, name);
  }

  private int createDistributed(FederationConnection connected) {
    DistributedDefinition wanted = distributed.definition(name);
    List<CacheDefinition> coming =
        distributed.ofSites(name, mode == null ? Mode.MWMR : mode, connected.knownSites());
    check(connected.manager(), wanted, coming); // A refusal has no effect.
    checkServing(connected, coming);
    coming.forEach(part -> connected.manager().createCache(part));
    connected.manager().createDistributed(wanted);
    DistributionReport created = DistributionReport.of(wanted);
    reporting.report(
        created,
        out ->
            out.printf(
                "created: cache '%s', distributed to %s by %s%s%n",
                name,
                String.join(",", created.parts()),
                created.partitionerText(),
                created.frontier() ? ", in frontier mode" : ""));
    return ExitCode.OK;
  }

  private static void check(
      EnsembleCacheManager manager, DistributedDefinition wanted, List<CacheDefinition> coming) {
    for (CacheDefinition part : coming) {
      manager
          .stored(part.name())
          .filter(there -> !there.definition().equals(part))
          .ifPresent(
              there -> {
                throw new CacheExistsException(there.definition(), part);
              });
      if (manager.distribution(part.name()).isPresent()) {
        throw new CommandException("'%s' is a distributed cache".formatted(part.name()));
      }
    }
    manager
        .parts()
        .check(wanted, coming.stream().map(CacheDefinition::name).collect(Collectors.toSet()));
  }

  /**
   * New caches are placed at serving sites; existing ones may be at a site that is being drained.
   */
  private static void checkServing(FederationConnection connected, List<CacheDefinition> coming) {
    List<String> serving = connected.siteNames();
    for (CacheDefinition part : coming) {
      if (!serving.containsAll(part.sites()) && connected.manager().stored(part.name()).isEmpty()) {
        throw new CommandException(
            ExitCode.USAGE,
            "the site is being drained and accepts no further caches; site=%s part=%s"
                .formatted(String.join(",", part.sites()), part.name()));
      }
    }
  }

  private int create(FederationConnection connected, Mode wanted) {
    List<String> known = connected.knownSites();
    if (shards != null) {
      return createSharded(connected, wanted, known, shards);
    }
    boolean kept = connected.manager().placement(name).isPresent();
    Optional<PlacementPolicy> policy = placement.policy(name, known, kept);
    if (policy.isPresent()) {
      connected.manager().createCache(policy.get(), settings(wanted));
    } else {
      connected
          .manager()
          .createCache(
              settings(wanted).sites(placement.namedSites(known, connected.siteNames())).build());
    }
    CacheReport created =
        connected
            .manager()
            .stored(name)
            .map(CacheReport::of)
            .orElseThrow(() -> connected.noSuchCache(name));
    reporting.report(
        created,
        out ->
            out.printf(
                "created: cache '%s', %s, at %s%n",
                name, created.mode(), String.join(",", created.sites())));
    if (!created.without().isEmpty()) {
      reporting
          .err()
          .printf(
              "ensemble: not reached, and count as down until recovered: %s%n",
              String.join(",", created.without()));
    }
    return ExitCode.OK;
  }

  private int createSharded(
      FederationConnection connected, Mode wanted, List<String> known, int number) {
    if (placement.policy(name, known, false).isPresent()) {
      throw new CommandException(
          ExitCode.USAGE,
          "--shards requires sites by name: give --sites, or none to use all sites");
    }
    CacheDefinition settings =
        settings(wanted).sites(placement.namedSites(known, connected.siteNames())).build();
    DistributedDefinition created =
        connected.manager().createSharded(settings, number).distribution();
    reporting.report(
        DistributionReport.of(created),
        out ->
            out.printf(
                "created: cache '%s', %s, at %s, in %d shards%n",
                name,
                wanted.name().toLowerCase(Locale.ROOT),
                String.join(",", settings.siteNames()),
                number));
    return ExitCode.OK;
  }

  /** All settings but the sites. */
  private CacheDefinition.Builder settings(Mode wanted) {
    CacheDefinition.Builder builder = CacheDefinition.of(name, wanted);
    if (values) {
      builder.privacy(keys ? Privacy.VALUES_AND_KEYS : Privacy.VALUES);
    }
    if (acknowledgement != null) {
      builder.acknowledgement(acknowledgement);
    }
    if (deadline != null) {
      builder.deadline(deadline);
    }
    if (siblings != null) {
      builder.siblings(siblings);
    }
    if (replicas != null) {
      builder.replicas(replicas);
    }
    if (windowWrites != null || windowAge != null) {
      CopyWindow usual = CopyWindow.DEFAULT;
      builder.window(
          new CopyWindow(
              windowWrites == null ? usual.writes() : windowWrites,
              windowAge == null ? usual.age() : windowAge));
    }
    return builder;
  }
}
