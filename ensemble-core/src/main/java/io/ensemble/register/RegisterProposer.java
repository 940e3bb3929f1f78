package io.ensemble.register;

import io.ensemble.register.Ballot.Kind;
import io.ensemble.register.Proposals.Proposal;
import io.ensemble.register.Update.Decision;
import io.ensemble.stamp.WriterId;
import java.util.Optional;

/** The update of one operation, its proposals, and the ballots that it draws. */
final class RegisterProposer<V, R> {

  private final RegisterRules rules;
  private final BallotGenerator ballotGenerator;
  private final Update<V, R> update;
  private final Proposals<R> proposals;
  private long highestRound;

  RegisterProposer(RegisterRules rules, BallotGenerator ballotGenerator, Update<V, R> update) {
    this(rules, ballotGenerator, update, new Proposals<>());
  }

  private RegisterProposer(
      RegisterRules rules,
      BallotGenerator ballotGenerator,
      Update<V, R> update,
      Proposals<R> proposals) {
    this.rules = rules;
    this.ballotGenerator = ballotGenerator;
    this.update = update;
    this.proposals = proposals;
  }

  RegisterProposer<V, R> copy() {
    RegisterProposer<V, R> copy =
        new RegisterProposer<>(rules, ballotGenerator, update, proposals.copy());
    copy.highestRound = highestRound;
    return copy;
  }

  Decision<V, R> decide(Content<V> content) {
    return update.decideOn(content);
  }

  /**
   * The decision to write over content that may be outdated; the votes will show whether it is.
   * Empty if the update writes nothing or refuses the content: no vote would then show that the
   * content is outdated.
   */
  Optional<Decision<V, R>> decideIfWriting(Content<V> content) {
    try {
      return Optional.of(decide(content)).filter(Decision::writes);
    } catch (RuntimeException exception) {
      return Optional.empty();
    }
  }

  /** The content after this operation, which this call proposes at {@code ballot}. */
  Content<V> propose(Ballot ballot, Content<V> content, Decision<V, R> decision) {
    proposals.add(ballot, decision.result(), content);
    return content.apply(ballot, decision.value(), rules.retainedBallots());
  }

  WriterId writer() {
    return ballotGenerator.writer();
  }

  /** The ballot of the last proposal; zero if there is none. */
  Ballot lastBallot() {
    return proposals.last();
  }

  boolean hasProposed() {
    return !proposals.isEmpty();
  }

  /** This operation's own proposal in the history of {@code content}. */
  Optional<Proposal<R>> findIn(Content<V> content) {
    return proposals.findIn(content);
  }

  /**
   * Whether {@code content} may descend from a proposal of this operation that it no longer lists.
   */
  boolean mayBeForgottenIn(Content<V> content) {
    return proposals.mayBeForgotten(content, rules.horizon());
  }

  /** Whether none of the proposals can be chosen after this cell, which descends from none. */
  boolean isPast(Cell<V> chosen) {
    return proposals.arePast(chosen.accepted(), chosen.content());
  }

  void observe(Cell<V> cell) {
    highestRound = Math.max(highestRound, cell.promised().round());
  }

  /** A ballot above every promise seen and above every ballot drawn before. */
  Ballot newBallot(Kind kind) {
    Ballot ballot = ballotGenerator.generateAbove(highestRound, kind);
    highestRound = ballot.round();
    return ballot;
  }

  long highestRound() {
    return highestRound;
  }

  long digest() {
    return RegisterDigest.of(highestRound, proposals.digest());
  }
}
