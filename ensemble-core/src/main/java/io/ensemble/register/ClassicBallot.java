package io.ensemble.register;

import io.ensemble.register.AcceptorTracker.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * One attempt with promises: each site promises, shows its cell again, and accepts. After a
 * compare-and-set that failed or received no response, the operation reads the cell again, because
 * the compare-and-set may have been performed.
 */
final class ClassicBallot<V> {

  /**
   * How many times a site that rejects a compare-and-set is read again before it counts as
   * refusing.
   */
  private static final int TRIES = 8;

  private final RegisterRules rules;
  private final AcceptorTracker<V> sites;
  private final Ballot ballot;
  private final int[] tries;
  private @Nullable Cell<V> proposed;
  private @Nullable Ballot nextBallot;

  /** The sites whose cells gave the content that was proposed. */
  private Set<Integer> sources = Set.of();

  private boolean acceptanceRequested;

  ClassicBallot(RegisterRules rules, AcceptorTracker<V> sites, Ballot ballot) {
    this.rules = rules;
    this.sites = sites;
    this.ballot = ballot;
    tries = new int[sites.size()];
  }

  private ClassicBallot(ClassicBallot<V> other, AcceptorTracker<V> sites) {
    this.rules = other.rules;
    this.sites = sites;
    this.ballot = other.ballot;
    tries = other.tries.clone();
    proposed = other.proposed;
    nextBallot = other.nextBallot;
    sources = other.sources;
    acceptanceRequested = other.acceptanceRequested;
  }

  ClassicBallot<V> copy(AcceptorTracker<V> copiedSites) {
    return new ClassicBallot<>(this, copiedSites);
  }

  Ballot ballot() {
    return ballot;
  }

  /** The proposed cell; only after {@link #propose}. */
  Cell<V> proposed() {
    return Objects.requireNonNull(proposed);
  }

  /**
   * Asks the sites that were read for their promise; sites that are still to respond are asked when
   * they do.
   */
  List<RegisterRequest<V>> prepare() {
    List<RegisterRequest<V>> requests = new ArrayList<>(sites.size());
    for (int site = 0; site < sites.size(); site++) {
      if (sites.progressOf(site) == Progress.READ) {
        requests.addAll(askPromise(site, sites.cellOf(site)));
      }
    }
    return requests;
  }

  /**
   * As {@link #prepare}, for a ballot that some sites promised before they were read. The cell that
   * such a site showed is its promise, and shows that the promise is in place.
   */
  List<RegisterRequest<V>> prepareWith(PreparedBallot prepared) {
    List<RegisterRequest<V>> requests = new ArrayList<>(sites.size());
    for (int site = 0; site < sites.size(); site++) {
      if (isPreparedAt(prepared, site)) {
        sites.set(site, Progress.CONFIRMED);
      } else if (sites.progressOf(site) == Progress.READ) {
        requests.addAll(askPromise(site, sites.cellOf(site)));
      }
    }
    return requests;
  }

  private boolean isPreparedAt(PreparedBallot prepared, int site) {
    return sites.progressOf(site) == Progress.READ
        && rules.isPrepared(prepared, site, sites.cellOf(site));
  }

  /**
   * Proposes under the promises given so far, and asks the sites that have not shown their promise
   * again to do so.
   *
   * @param promised a ballot above this one that the sites promise as they accept; null for none
   */
  List<RegisterRequest<V>> propose(Content<V> content, @Nullable Ballot promised) {
    nextBallot = promised;
    Set<Integer> confirmed = sites.sitesIn(Progress.CONFIRMED); // By a prepared ballot.
    sources = confirmed.isEmpty() ? sites.sitesIn(Progress.PROMISED) : confirmed;
    proposed = new Cell<>(promised == null ? ballot : promised, ballot, ballot, content);
    List<RegisterRequest<V>> requests = new ArrayList<>(sites.size());
    for (int site = 0; site < sites.size(); site++) {
      if (sites.progressOf(site) == Progress.PROMISED) {
        requests.add(sites.read(site, Progress.CONFIRMING));
      }
    }
    requests.addAll(acceptWhereConfirmed());
    return requests;
  }

  /**
   * The ballot that the sites that have accepted so far promised at the same time; null if none.
   */
  @Nullable PreparedBallot prepared() {
    Ballot promised = nextBallot;
    return promised == null ? null : new PreparedBallot(promised, sites.sitesIn(Progress.ACCEPTED));
  }

  List<RegisterRequest<V>> onRead(int site, VersionedCell<V> versionedCell) {
    sites.recordCell(site, versionedCell);
    return switch (sites.progressOf(site)) {
      case READING, PROMISING -> askPromise(site, versionedCell);
      case CONFIRMING, ACCEPTING -> askAcceptance(site, versionedCell.cell());
      default ->
          throw new AssertionError(
              "no client has read the site; site=" + site + " progress=" + sites.progressOf(site));
    };
  }

  List<RegisterRequest<V>> onSwap(int site, boolean swapped) {
    Progress progress = sites.progressOf(site);
    if (!swapped) {
      return readAgain(site);
    }
    if (progress == Progress.ACCEPTING) {
      sites.set(site, Progress.ACCEPTED);
      return List.of();
    }
    VersionedCell<V> previous = sites.cellOf(site);
    return recordPromise(
        site, new VersionedCell<>(previous.cell().promise(ballot), previous.token()));
  }

  List<RegisterRequest<V>> onLost(int site, boolean swap) {
    if (swap) {
      return readAgain(site);
    }
    sites.set(site, Progress.LOST);
    return List.of();
  }

  private List<RegisterRequest<V>> readAgain(int site) {
    if (++tries[site] > TRIES) {
      sites.set(site, Progress.REFUSED);
      return List.of();
    }
    return List.of(sites.read(site, sites.progressOf(site)));
  }

  private List<RegisterRequest<V>> askPromise(int site, VersionedCell<V> versionedCell) {
    Ballot promised = versionedCell.cell().promised();
    if (promised.equals(ballot)) {
      return recordPromise(site, versionedCell);
    }
    if (rules.isRefused(promised, ballot)) {
      sites.set(site, Progress.REFUSED);
      return List.of();
    }
    return List.of(sites.swap(site, Progress.PROMISING, versionedCell.cell().promise(ballot)));
  }

  private List<RegisterRequest<V>> recordPromise(int site, VersionedCell<V> versionedCell) {
    sites.recordCell(site, versionedCell);
    sites.set(site, Progress.PROMISED);
    return proposed == null ? List.of() : List.of(sites.read(site, Progress.CONFIRMING));
  }

  private List<RegisterRequest<V>> askAcceptance(int site, Cell<V> cell) {
    if (cell.accepted().equals(ballot)) {
      sites.set(site, Progress.ACCEPTED);
    } else if (!rules.keepsPromise(cell.promised(), ballot)) {
      sites.set(site, Progress.REFUSED);
    } else {
      sites.set(site, Progress.CONFIRMED);
    }
    return acceptWhereConfirmed();
  }

  /**
   * Acceptance is requested only after every source of the content, which are a majority, has shown
   * its promise again. Each of these reads began after all sources had promised. So at one moment
   * all of them held the promise and the cells from which the content was recovered. If one of them
   * had been wiped before, its successor could not show the promise.
   */
  private List<RegisterRequest<V>> acceptWhereConfirmed() {
    if (proposed == null || !(acceptanceRequested || areSourcesConfirmed())) {
      return List.of();
    }
    acceptanceRequested = true;
    List<RegisterRequest<V>> requests = new ArrayList<>(sites.size());
    for (int site = 0; site < sites.size(); site++) {
      if (sites.progressOf(site) == Progress.CONFIRMED) {
        requests.add(sites.swap(site, Progress.ACCEPTING, proposed));
      }
    }
    return requests;
  }

  private boolean areSourcesConfirmed() {
    return rules.areConfirmed(
        sources, sitesIn(Progress.CONFIRMED, Progress.ACCEPTING, Progress.ACCEPTED));
  }

  private Set<Integer> sitesIn(Progress... expected) {
    Set<Integer> found = new TreeSet<>();
    for (Progress progress : expected) {
      found.addAll(sites.sitesIn(progress));
    }
    return found;
  }

  /** Whether the content was recovered from the cell of this site. */
  boolean isSource(int site) {
    return sources.contains(site);
  }

  boolean isPromisedByMajority() {
    return proposed == null && sites.count(Progress.PROMISED) >= rules.majority();
  }

  boolean isAcceptedByMajority() {
    return sites.count(Progress.ACCEPTED) >= rules.acceptances();
  }

  /**
   * Whether a majority has answered, and only a slow site delays this ballot: one site refused, or
   * a source does not show its promise again. A higher ballot may succeed without the slow site.
   */
  boolean isDelayedBySlowSite() {
    boolean isSourceSlow =
        proposed != null
            && !acceptanceRequested
            && sites.count(Progress.CONFIRMED) >= rules.majority();
    return isSourceSlow
        || (sites.count(Progress.REFUSED) > 0 && sites.countResponses() >= rules.majority());
  }

  boolean isHopeless() {
    Set<Integer> failed = sitesIn(Progress.REFUSED, Progress.LOST);
    boolean isSourceMissing = !acceptanceRequested && sources.stream().anyMatch(failed::contains);
    return isSourceMissing || sites.size() - failed.size() < rules.majority();
  }

  long digest() {
    return RegisterDigest.of(
        RegisterDigest.of(ballot) + (acceptanceRequested ? 1 : 0),
        proposed == null ? 0 : RegisterDigest.of(proposed));
  }
}
