package io.ensemble.check.faults;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The faults and their times, from a seed: an endless sequence of rounds. A round begins when the
 * damage of the last one is repaired: wiped sites are refilled, and nodes that came back are
 * balanced with their peers. So whatever happens inside a round, a majority of sites has its
 * memory: in no round do more sites lose it than allowed.
 *
 * <p>A round affects one site or two. A majority may be unreachable, though only for a short time.
 * Each kind comes once before any comes again. While the cache moves to other stores no other site
 * loses its memory, because two configurations would have to keep a majority then. Not thread-safe;
 * the same settings give the same rounds.
 */
public final class TrialFaultPlan {
  private static final int LONGEST_BLACKOUT_MILLIS = 1_500;

  /** With fewer sites, replicas may be lost at one of them only. */
  private static final int FEWEST_SITES_TO_LOSE_TWO = 3;

  private static final int FEWEST_NODES = 3;
  private static final int SHORTEST_GAP_MILLIS = 300;
  private static final int LONGEST_GAP_MILLIS = 1_000;

  /**
   * The settings of a plan.
   *
   * @param sites the number of sites
   * @param nodes the number of nodes of each site
   * @param kinds the allowed kinds of faults; may be empty
   * @param forgetful the number of sites that may be without their memory at the same time
   * @param killedSitesRemember whether a killed site comes back with its former data
   */
  public record Settings(
      int sites, int nodes, Set<TrialFaultKind> kinds, int forgetful, boolean killedSitesRemember) {

    /** Copies the kinds, and refuses kinds that would break the rule above. */
    public Settings {
      kinds = Set.copyOf(kinds);
      for (TrialFaultKind kind : kinds) {
        String why = refusal(kind, sites, nodes, forgetful, killedSitesRemember);
        if (why != null) {
          throw new IllegalArgumentException("--faults " + kind.word() + " requires " + why);
        }
      }
    }

    /** The kinds of {@code wanted} that such sites support. */
    public static Set<TrialFaultKind> possible(
        Set<TrialFaultKind> wanted,
        int sites,
        int nodes,
        int forgetful,
        boolean killedSitesRemember) {
      return Set.copyOf(
          wanted.stream()
              .filter(k -> refusal(k, sites, nodes, forgetful, killedSitesRemember) == null)
              .toList());
    }

    private static @Nullable String refusal(
        TrialFaultKind kind, int sites, int nodes, int forgetful, boolean remember) {
      boolean ofNodes =
          kind.isOfOneNode() || kind == TrialFaultKind.OWNER || kind == TrialFaultKind.SPLIT;
      if (ofNodes && nodes < FEWEST_NODES) {
        return "sites of 3 nodes or more; a site has " + nodes;
      }
      if (kind == TrialFaultKind.REPLACE && sites == 1 && nodes <= FEWEST_NODES) {
        return "4 nodes or more at one site, because the remaining nodes must hold three replicas";
      }
      if (kind == TrialFaultKind.ROLLING && nodes < FEWEST_NODES && (nodes > 1 || forgetful < 1)) {
        return "sites of 3 nodes or more, or 3 sites of one; %d have %d".formatted(sites, nodes);
      }
      if (kind.takesMemory(remember, sites) && forgetful < 1) {
        return "more sites: none of " + sites + " may lose its data";
      }
      return null;
    }
  }

  /**
   * Faults that overlap.
   *
   * @param gapMillis the time without faults before it
   * @param faults faults of different sites, in the order of their beginnings
   */
  public record Round(int gapMillis, List<PlannedFault> faults) {
    /** Copies the list. */
    public Round {
      faults = List.copyOf(faults);
    }
  }

  private final Settings settings;
  private final SplittableRandom random;
  private final List<TrialFaultKind> bag = new ArrayList<>();

  /** Creates the plan of that seed. */
  public TrialFaultPlan(long seed, Settings settings) {
    this.settings = settings;
    this.random = new SplittableRandom(seed);
  }

  /**
   * The next round.
   *
   * @throws IllegalStateException if the settings contain no kind of fault
   */
  public Round next() {
    int gap = between(SHORTEST_GAP_MILLIS, LONGEST_GAP_MILLIS);
    PlannedFault first = fault(fromBag(), random.nextInt(settings.sites()), 0);
    List<PlannedFault> faults = new ArrayList<>(List.of(first));
    if (mayHaveSecond(first) && random.nextBoolean()) {
      PlannedFault second = second(first);
      if (mayMeet(first, second)) {
        faults.add(second);
      }
    }
    faults.sort(Comparator.comparingInt(PlannedFault::afterMillis));
    return new Round(gap, faults);
  }

  /** With a single site, the second fault must affect another target. */
  private boolean mayHaveSecond(PlannedFault first) {
    return settings.sites() > 1
        || settings.kinds().stream().anyMatch(k -> k.isOfASite() != first.kind().isOfASite());
  }

  private TrialFaultKind fromBag() {
    if (settings.kinds().isEmpty()) {
      throw new IllegalStateException("a plan requires a kind of fault; got none");
    }
    if (bag.isEmpty()) {
      bag.addAll(settings.kinds().stream().sorted().toList());
    }
    return bag.remove(random.nextInt(bag.size()));
  }

  /** Whether both may be in one round. */
  private boolean mayMeet(PlannedFault one, PlannedFault other) {
    int lost = memoriesLost(one) + memoriesLost(other);
    boolean moves = one.kind().isAChange() || other.kind().isAChange();
    boolean remember = settings.killedSitesRemember();
    boolean bothLoseReplicas =
        one.kind().losesReplicas(remember) && other.kind().losesReplicas(remember);
    return (one.kind().isOfASite()
            || other.kind().isOfASite()
            || one.kind().isOfListeners() != other.kind().isOfListeners())
        && one.kind().mayMeet(other.kind())
        && other.kind().mayMeet(one.kind())
        && !(bothLoseReplicas && settings.sites() < FEWEST_SITES_TO_LOSE_TWO)
        && lost <= (moves ? 0 : settings.forgetful());
  }

  private PlannedFault second(PlannedFault first) {
    List<TrialFaultKind> kinds =
        settings.kinds().stream()
            .filter(k -> settings.sites() > 1 || k.isOfASite() != first.kind().isOfASite())
            .sorted()
            .toList();
    TrialFaultKind kind = kinds.get(random.nextInt(kinds.size()));
    int site =
        first.kind().isOfASite() && settings.sites() > 1
            ? (first.site() + 1 + random.nextInt(settings.sites() - 1)) % settings.sites()
            : random.nextInt(settings.sites());
    PlannedFault fault = fault(kind, site, random.nextInt(first.forMillis()));
    boolean blackout = first.kind().silences() && kind.silences() && 2 * 2 >= settings.sites();
    return blackout
        ? new PlannedFault(
            kind,
            site,
            fault.node(),
            fault.afterMillis(),
            Math.min(fault.forMillis(), LONGEST_BLACKOUT_MILLIS),
            fault.strength())
        : fault;
  }

  private PlannedFault fault(TrialFaultKind kind, int site, int afterMillis) {
    boolean ofOne =
        kind.isOfOneNode()
            || (kind.mayBeOfOneNode() && settings.nodes() > 1 && random.nextInt(3) == 0);
    return new PlannedFault(
        kind,
        kind.isOfASite() ? site : PlannedFault.NO_SITE,
        ofOne ? random.nextInt(settings.nodes()) : PlannedFault.ALL,
        afterMillis,
        between(kind.shortestMillis(), kind.longestMillis()),
        random.nextInt(100));
  }

  private int memoriesLost(PlannedFault fault) {
    return fault.kind().takesMemory(settings.killedSitesRemember(), settings.sites()) ? 1 : 0;
  }

  private int between(int least, int most) {
    return random.nextInt(least, most + 1);
  }
}
