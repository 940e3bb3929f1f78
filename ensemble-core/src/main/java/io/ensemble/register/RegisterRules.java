package io.ensemble.register;

import io.ensemble.quorum.Quorum;
import io.ensemble.register.Update.Decision;
import io.ensemble.stamp.WriterId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The protocol's decisions, each a pure function of the state seen; {@link RegisterOperation} keeps
 * the state and asks. Open within the package so that a test can break one rule at a time.
 */
class RegisterRules {

  private final Quorum quorum;

  RegisterRules(Quorum quorum) {
    this.quorum = quorum;
  }

  int sites() {
    return quorum.sites();
  }

  int majority() {
    return quorum.majority();
  }

  int fastQuorum(Ballot base) {
    return ContentSelection.fastQuorum(base, quorum);
  }

  /** How many acceptances of a ballot choose it, except for fast ones. */
  int acceptances() {
    return quorum.majority();
  }

  /**
   * Whether acceptance may be requested.
   *
   * @param sources the sites, a majority, whose cells gave the content
   * @param confirmed the sites that showed their promise again, after all sources had promised
   */
  boolean areConfirmed(Set<Integer> sources, Set<Integer> confirmed) {
    return confirmed.containsAll(sources);
  }

  /** How many applied writes a register remembers. */
  int retainedBallots() {
    return Content.HORIZON;
  }

  /** How many writes after its first proposal an operation can still recognise its own success. */
  int horizon() {
    return Content.HORIZON;
  }

  /**
   * The cell with the ballot that these responses prove chosen, if any. A majority that holds one
   * classic or confirming ballot proves it. A fast ballot takes a fast quorum, unless the caller
   * has seen it chosen: two equal fast votes of three prove nothing. Promises do not matter. No
   * later ballot was chosen before the first of these responses was given, because its majority
   * shares a site with these.
   */
  <V> Optional<Cell<V>> chosen(List<Cell<V>> answers, Ballot knownBallot) {
    for (Cell<V> candidate : answers) {
      Ballot ballot = candidate.accepted();
      boolean isFast = ballot.isFast() && !ballot.equals(knownBallot);
      int required = isFast ? fastQuorum(candidate.floor()) : majority();
      if (answers.stream().filter(cell -> cell.accepted().equals(ballot)).count() >= required) {
        return Optional.of(candidate);
      }
    }
    return Optional.empty();
  }

  /** Whether a vote without promises may be cast from this cell, which shows {@code base}. */
  <V> boolean canVoteFrom(Cell<V> cell, Ballot base) {
    return cell.accepted().equals(base) && cell.isUnpromised();
  }

  /**
   * A cell that makes its content chosen once a majority stores it, with no new promise. A read
   * that found its majority disagreeing writes it back before it returns. Empty when only a classic
   * ballot can decide.
   *
   * <p>Any process may repeat a classic ballot's acceptance wherever the promise allows it. A fast
   * ballot that a majority holds unpromised is repeated at a confirming ballot. The sites of that
   * majority voted for it directly from its base, so no other ballot can have been chosen on that
   * base.
   *
   * @param confirmBallot a fresh ballot above every promise in {@code answers}
   */
  <V> Optional<Cell<V>> repair(List<Cell<V>> answers, Ballot confirmBallot) {
    Cell<V> highest = highest(answers);
    if (highest.accepted().isFast()) {
      return confirm(answers, highest.accepted(), confirmBallot);
    }
    Cell<V> target = Cell.accepted(highest.accepted(), highest.floor(), highest.content());
    Ballot base = baseOfVotes(answers, target);
    long acceptingCells =
        answers.stream()
            .filter(cell -> hasAccepted(cell, target) || canAcceptRepair(cell, target, base))
            .count();
    return acceptingCells >= majority() ? Optional.of(target) : Optional.empty();
  }

  /**
   * Whether these cells of all sites look like a vote that has reached some sites and not yet the
   * others: one fast ballot, and otherwise its base, without promises. A read that follows
   * immediately will probably find the vote at all sites, whereas a repair would pre-empt it.
   */
  <V> boolean isVoteInFlight(List<Cell<V>> cells) {
    if (cells.size() < sites()) {
      return false;
    }
    Cell<V> highest = highest(cells);
    Ballot vote = highest.accepted();
    Ballot base = highest.floor();
    return vote.isFast()
        && cells.stream()
            .allMatch(
                cell ->
                    cell.isUnpromised()
                        && (cell.accepted().equals(vote) || cell.accepted().equals(base)));
  }

  /**
   * A confirming cell for the fast ballot {@code vote} that a majority holds unpromised, although a
   * rival may have votes of other sites on the same base. Each site votes at most once from the
   * base, so the rival cannot have been chosen.
   *
   * @param confirmBallot a fresh ballot above every promise in {@code answers}
   */
  <V> Optional<Cell<V>> confirm(List<Cell<V>> answers, Ballot vote, Ballot confirmBallot) {
    Optional<Cell<V>> voted =
        answers.stream().filter(cell -> cell.accepted().equals(vote)).findFirst();
    if (voted.isEmpty() || !vote.isFast()) {
      return Optional.empty();
    }
    Ballot base = voted.get().floor();
    long votes = answers.stream().filter(cell -> canVoteFrom(cell, vote)).count();
    boolean isOneBase =
        answers.stream()
            .allMatch(cell -> cell.accepted().equals(base) || cell.floor().equals(base));
    return votes >= majority() && isOneBase
        ? Optional.of(Cell.accepted(confirmBallot, vote, voted.get().content()))
        : Optional.empty();
  }

  /**
   * Whether these cells show that a rival is writing and should be left alone: a promise of its
   * ballot; or, if all sites have answered, a fast ballot that has more votes than {@code own}, or
   * as many and is above it. A promise that a site gave as it accepted a ballot of the same writer
   * does not show that.
   *
   * @param writer the writer of this operation
   * @param own its last ballot, or {@link Ballot#ZERO}
   * @param chosen the ballot that the cells prove chosen, or {@link Ballot#ZERO}
   */
  <V> boolean isRivalWriting(List<Cell<V>> cells, WriterId writer, Ballot own, Ballot chosen) {
    long ownVotes = votes(cells, own);
    for (Cell<V> cell : cells) {
      Ballot ballot = cell.accepted();
      boolean isPrepared =
          ballot.kind() == Ballot.Kind.CLASSIC && ballot.writer().equals(cell.promised().writer());
      if (!cell.isUnpromised()) {
        if (!isPrepared && !cell.promised().writer().equals(writer)) {
          return true;
        }
      } else if (cells.size() == sites()
          && ballot.isFast()
          && !ballot.equals(own)
          && ballot.isAbove(chosen)) {
        long votes = votes(cells, ballot);
        if (votes > ownVotes || votes == ownVotes && ballot.isAbove(own)) {
          return true;
        }
      }
    }
    return false;
  }

  private static <V> Cell<V> highest(List<Cell<V>> cells) {
    Cell<V> highest = cells.get(0);
    for (Cell<V> cell : cells) {
      highest = cell.accepted().isAbove(highest.accepted()) ? cell : highest;
    }
    return highest;
  }

  private static <V> long votes(List<Cell<V>> cells, Ballot ballot) {
    return cells.stream().filter(cell -> cell.accepted().equals(ballot)).count();
  }

  <V> boolean hasAccepted(Cell<V> cell, Cell<V> target) {
    return cell.accepted().equals(target.accepted());
  }

  /**
   * The base of the votes that {@code confirming} repeats, as a cell with such a vote shows it.
   * {@link Ballot#ZERO} if none does. The repeated ballot itself is not that base: votes that stand
   * on it may have been chosen since, and must not be replaced.
   */
  <V> Ballot baseOfVotes(List<Cell<V>> cells, Cell<V> confirming) {
    return cells.stream()
        .filter(cell -> cell.accepted().equals(confirming.floor()))
        .findFirst()
        .map(Cell::floor)
        .orElse(Ballot.ZERO);
  }

  /**
   * Whether the repairing cell may replace this one. A confirming cell may also replace an
   * unpromised vote of a rival on the same base, and the base itself. No ballot below it can be
   * chosen then: it would need a promise of a site of every majority, and the compare-and-set shows
   * that this site has given none. An absent base is excluded: its compare-and-set carries no entry
   * version, so it does not show that.
   *
   * @param base the base of the votes that a confirming cell repeats; {@link Ballot#ZERO} if it is
   *     absent or unknown
   */
  <V> boolean canAcceptRepair(Cell<V> cell, Cell<V> target, Ballot base) {
    if (target.accepted().kind() != Ballot.Kind.CONFIRM) {
      return !cell.promised().isAbove(target.accepted());
    }
    boolean isOnBase =
        cell.accepted().equals(base) || cell.accepted().isFast() && cell.floor().equals(base);
    return canVoteFrom(cell, target.floor())
        || isOnBase && cell.isUnpromised() && !base.equals(Ballot.ZERO);
  }

  /**
   * The content on which a proposer builds, given the cells of a majority that promised its ballot.
   */
  <V> Content<V> recover(List<Cell<V>> promised) {
    return ContentSelection.recover(promised, quorum);
  }

  /**
   * Whether a site that shows {@code versionedCell} counts as having promised the ballot: it
   * promised before the operation began, and the promise is in place.
   */
  <V> boolean isPrepared(PreparedBallot prepared, int site, VersionedCell<V> versionedCell) {
    return prepared.sites().contains(site)
        && keepsPromise(versionedCell.cell().promised(), prepared.ballot());
  }

  /**
   * Whether a prepared ballot serves for this decision. A tombstone needs another ballot, because
   * its age counts from its round, and a prepared ballot may have been drawn long ago. A decision
   * that writes nothing needs none.
   */
  <V> boolean mayUsePrepared(Decision<V, ?> decision) {
    return decision.writes() && decision.value() != null;
  }

  /**
   * Whether sites are asked for a promise as they accept: where too many sites are silent for a
   * fast ballot to be chosen upon this one. A tombstone is excluded: only an unpromised one can be
   * purged.
   */
  <V> boolean preparesNext(Decision<V, ?> decision, Ballot ballot, int silentSites) {
    return sites() - silentSites < fastQuorum(ballot)
        && decision.writes()
        && decision.value() != null;
  }

  /** Whether a site that shows {@code promised} rejects {@code ballot}. */
  boolean isRefused(Ballot promised, Ballot ballot) {
    return promised.isAbove(ballot);
  }

  /** Whether a site that shows {@code promised} still keeps its promise for {@code ballot}. */
  boolean keepsPromise(Ballot promised, Ballot ballot) {
    return promised.equals(ballot);
  }
}
