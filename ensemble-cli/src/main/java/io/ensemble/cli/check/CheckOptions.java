package io.ensemble.cli.check;

import io.ensemble.Acknowledgement;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.check.faults.FaultableSites;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.federation.LocalPlan;
import io.ensemble.check.objects.ObjectRequest;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.registers.CheckRequest;
import io.ensemble.check.zoofence.ZooFenceRequest;
import io.ensemble.cli.option.DurationConverter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The settings of a trial: the number of clients and operations, and the faults. */
final class CheckOptions {
  private static final String NONE = "none";
  private static final int SECONDS_FOR_EACH_KIND = 10;

  /** Allows for the time that processes need to start again. */
  private static final int SECONDS_FOR_EACH_KIND_IN_PROCESSES = 20;

  private static final int MOST_PROCESSES_UNASKED = 3;
  private static final int MOST_OBJECT_PROCESSES_UNASKED = 4;
  private static final int OPERATIONS = 20_000;
  private static final int OBJECT_OPERATIONS = 5_000;
  private static final int KEYS = 20;
  private static final int OBJECTS = 4;
  private static final int ZNODES = 10;
  private static final int LISTENERS = 2;

  /** Some pauses of instances are longer, and some shorter. */
  private static final Duration PATIENCE = Duration.ofMillis(2_500);

  private static final Duration DEADLINE = Duration.ofSeconds(3);
  private static final Duration OBJECT_DEADLINE = Duration.ofSeconds(10);

  enum TestedMode {
    WEAK(Mode.WEAK),
    SWMR(Mode.SWMR),
    MWMR(Mode.MWMR);

    final Mode mode;

    TestedMode(Mode mode) {
      this.mode = mode;
    }
  }

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description = "Mode of the cache under test: ${COMPLETION-CANDIDATES}, case-insensitive.")
  @Nullable TestedMode mode;

  enum AcknowledgementOption {
    MAJORITY(Acknowledgement.MAJORITY),
    PRIMARY(Acknowledgement.PRIMARY);

    final Acknowledgement acknowledgement;

    AcknowledgementOption(Acknowledgement acknowledgement) {
      this.acknowledgement = acknowledgement;
    }
  }

  @Option(
      names = "--ack",
      paramLabel = "ACK",
      description =
          "Acknowledgement of writes in SWMR: ${COMPLETION-CANDIDATES}, case-insensitive; default: "
              + "MAJORITY. With PRIMARY, the history is judged with the bound of writes that a "
              + "failover may drop.")
  @Nullable AcknowledgementOption ack;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "8",
      description =
          "Number of clients, each with one operation at a time; default: ${DEFAULT-VALUE}.")
  int clients;

  @Option(
      names = "--client-processes",
      paramLabel = "N",
      description =
          "Number of client processes; default: 3, also with --zoofence; 4 with --object or "
              + "--versioned; at most the number of clients.")
  @Nullable Integer processes;

  @Option(
      names = "--operations",
      paramLabel = "N",
      description =
          "Minimum number of operations in total; calls with --object, --versioned and --zoofence. "
              + "Default: 20000, 5000 with one of these.")
  @Nullable Integer operations;

  @Option(
      names = "--keys",
      paramLabel = "N",
      description =
          "Number of keys, default: 20; with --object, objects, and with --versioned, keys of the "
              + "versioned cache, default: 4; with --zoofence, znodes that are created, changed "
              + "and removed, beside permanent ones, default: 10.")
  @Nullable Integer keys;

  @Option(
      names = "--duration",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "Duration over which the operations are spread; default: 10 s for each kind of fault, 20 "
              + "s with --processes.")
  @Nullable Duration duration;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Seed of faults and operations; default: ${DEFAULT-VALUE}. The same seed gives the same "
              + "plan, but not the same times.")
  long seed;

  @Option(
      names = "--shards",
      paramLabel = "N",
      description =
          "With --mode mwmr or swmr: partition the keys over N shards of the cache; default: no"
              + " shards.")
  @Nullable Integer shards;

  @Option(
      names = "--near",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "The clients use near caches of this staleness, and every near read is judged by it;"
              + " default: no near caches.")
  @Nullable Duration staleness;

  @Option(
      names = "--listen",
      description =
          "With --mode: listeners in processes of their own receive the changes of the cache, and "
              + "their streams are judged, too (docs/check.md).")
  boolean listen;

  @Option(
      names = "--listeners",
      paramLabel = "N",
      description = "With --listen: the number of listeners; default: 2.")
  @Nullable Integer listeners;

  /** The completions in shells. */
  static final class FaultCandidates extends ArrayList<String> {
    private static final long serialVersionUID = 1L;

    FaultCandidates() {
      Arrays.stream(TrialFaultKind.values()).map(TrialFaultKind::word).forEach(this::add);
      add(NONE);
    }
  }

  @Option(
      names = "--faults",
      paramLabel = "KIND",
      completionCandidates = FaultCandidates.class,
      split = ",",
      description =
          "Faults, separated by commas, or none. Faults of sites: kill, node, pause, cut, oneway, "
              + "slow, amnesia, split; rolling restarts all nodes in turn; catalog; replace "
              + "creates new stores for the cache while a node is down; reconfigure uses an "
              + "additional site. With --listen: listener, too. With --object or --versioned: those of sites except rolling and "
              + "split, and owner, client and events. With --zoofence: kill and pause of an "
              + "ensemble, leader, proxy, client and session. Default: all supported faults except "
              + "catalog, replace and reconfigure; split only if each store is on one node; "
              + "rolling not with --processes; none on an existing federation, except listener; client and session "
              + "on an existing deployment.")
  @Nullable List<String> faults;

  @Option(
      names = "--enough",
      paramLabel = "PERCENT",
      defaultValue = "50",
      description =
          "Minimum percentage of operations that must be answered; default: ${DEFAULT-VALUE}.")
  int enough;

  @Option(
      names = "--deadline",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "Deadline of an operation; default: 3s, 10s with --object or --versioned. With "
              + "--zoofence, the timeout of the started proxies; default: 2500ms.")
  @Nullable Duration deadline;

  /** The request for sites that are to be started here. */
  CheckRequest request(LocalPlan plan) {
    return request(
        plan.sites(), plan.nodes(), EnumSet.allOf(TrialFaultKind.class), plan.processes());
  }

  /**
   * The request for any sites.
   *
   * @param killedSitesRemember whether they are processes on disk
   */
  private CheckRequest request(
      int sites, int nodes, Set<TrialFaultKind> can, boolean killedSitesRemember) {
    if (mode == null) {
      throw usage(
          "--mode, --object, --versioned or --zoofence is required, except with --only-check");
    }
    Set<TrialFaultKind> kinds = kinds(can);
    CheckRequest wanted =
        new CheckRequest(
            mode.mode,
            acknowledgement(mode.mode),
            clients,
            processes(MOST_PROCESSES_UNASKED),
            operations == null ? OPERATIONS : operations,
            keys == null ? KEYS : keys,
            spread(kinds, killedSitesRemember),
            seed,
            kinds,
            enough,
            deadline == null ? DEADLINE : deadline,
            shards == null ? 0 : shards(),
            staleness,
            listeners());
    return faults == null
        ? wanted.withPossibleFaults(sites, nodes, killedSitesRemember)
        : wanted.requirePossible(sites, nodes, killedSitesRemember);
  }

  private int shards() {
    if (Objects.requireNonNull(shards) < 1) {
      throw usage(
          "--shards must be 1 to %d; got %d".formatted(DistributedDefinition.MOST_PARTS, shards));
    }
    return shards;
  }

  private int listeners() {
    if (listeners != null && !listen) {
      throw usage("--listeners requires --listen");
    }
    if (listeners != null && listeners < 1) {
      throw usage("--listeners must be at least 1; got " + listeners);
    }
    int wanted = listeners == null ? LISTENERS : listeners;
    return listen ? wanted : 0;
  }

  private int processes(int byDefault) {
    return processes == null ? Math.max(1, Math.min(byDefault, clients)) : processes;
  }

  private Duration spread(Set<TrialFaultKind> kinds, boolean inProcesses) {
    int each = inProcesses ? SECONDS_FOR_EACH_KIND_IN_PROCESSES : SECONDS_FOR_EACH_KIND;
    return duration != null ? duration : Duration.ofSeconds(each * Math.max(1L, kinds.size()));
  }

  /** The request for objects in {@code plan}. */
  ObjectRequest request(ObjectTrialOptions objects, LocalPlan plan) {
    Set<TrialFaultKind> kinds =
        faults == null ? objects.store().faults(plan) : kinds(EnumSet.allOf(TrialFaultKind.class));
    ObjectRequest wanted =
        new ObjectRequest(
            objects.subject(),
            objects.store(),
            objects.stored,
            clients,
            processes(MOST_OBJECT_PROCESSES_UNASKED),
            operations == null ? OBJECT_OPERATIONS : operations,
            keys == null ? OBJECTS : keys,
            spread(kinds, plan.processes()),
            seed,
            kinds,
            enough,
            deadline == null ? OBJECT_DEADLINE : deadline);
    return wanted.requirePossible(plan.sites(), plan.nodes(), plan.processes());
  }

  /**
   * The request for a deployment of ZooFence.
   *
   * @param possible the faults that it supports
   */
  ZooFenceRequest zooFenceRequest(Set<TrialFaultKind> possible) {
    Set<TrialFaultKind> kinds =
        faults == null ? possible : kinds(EnumSet.allOf(TrialFaultKind.class));
    for (TrialFaultKind kind : kinds) {
      if (!possible.contains(kind)) {
        throw usage(
            "--faults %s is not supported here; supported are: %s"
                .formatted(
                    kind.word(),
                    possible.stream()
                        .map(TrialFaultKind::word)
                        .sorted()
                        .collect(Collectors.joining(", "))));
      }
    }
    return new ZooFenceRequest(
        clients,
        processes(MOST_PROCESSES_UNASKED),
        operations == null ? OBJECT_OPERATIONS : operations,
        keys == null ? ZNODES : keys,
        spread(kinds, false),
        seed,
        kinds,
        enough,
        deadline == null ? PATIENCE : deadline);
  }

  /** The request for existing sites. */
  CheckRequest request(FaultableSites sites) {
    Set<TrialFaultKind> can = EnumSet.of(TrialFaultKind.LISTENER);
    can.addAll(sites.kinds());
    return request(sites.places().size(), sites.nodes(), can, sites.killedSitesRemember());
  }

  private Set<TrialFaultKind> kinds(Set<TrialFaultKind> can) {
    if (faults
        == null) { // The faults of sites: a catalog is started only if its faults are requested.
      Set<TrialFaultKind> kinds = TrialFaultKind.defaults(can);
      if (listen) {
        kinds.add(TrialFaultKind.LISTENER);
      }
      return kinds;
    }
    if (faults.equals(List.of(NONE))) {
      return Set.of();
    }
    Set<TrialFaultKind> kinds = EnumSet.noneOf(TrialFaultKind.class);
    for (String word : faults) {
      TrialFaultKind kind =
          Arrays.stream(TrialFaultKind.values())
              .filter(k -> k.word().equals(word.strip().toLowerCase(Locale.ROOT)))
              .findFirst()
              .orElseThrow(
                  () ->
                      usage(
                          "--faults must be among %s, or none; got '%s'"
                              .formatted(faultWords(), word)));
      if (!can.contains(kind)) {
        throw usage(
            "--faults %s requires a federation that is started by check, not an existing one"
                .formatted(kind.word()));
      }
      kinds.add(kind);
    }
    return kinds;
  }

  private Acknowledgement acknowledgement(Mode wanted) {
    if (ack == null) {
      return wanted == Mode.WEAK ? Acknowledgement.LOCAL : Acknowledgement.MAJORITY;
    }
    if (wanted != Mode.SWMR) {
      throw usage("--ack requires --mode swmr; got --mode " + mode);
    }
    return ack.acknowledgement;
  }

  private static String faultWords() {
    return Arrays.stream(TrialFaultKind.values())
        .map(TrialFaultKind::word)
        .collect(Collectors.joining(", "));
  }

  private static CommandException usage(String line) {
    return new CommandException(ExitCode.USAGE, line);
  }
}
