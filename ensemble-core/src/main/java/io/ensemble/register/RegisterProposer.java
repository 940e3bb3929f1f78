package io.ensemble.register;

import io.ensemble.register.Ballot.Kind;
import io.ensemble.register.Proposals.Proposal;
import io.ensemble.register.Update.Decision;
import java.util.Optional;

/** What one operation wants, what it has proposed for it, and the ballots it draws. */
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
   * What to write over content that may be old by now, which votes will tell. That nothing is to be
   * written, or that the update refuses what it finds, nobody would tell: then empty.
   */
  Optional<Decision<V, R>> toWriteOverOld(Content<V> content) {
    try {
      return Optional.of(decide(content)).filter(Decision::writes);
    } catch (RuntimeException refused) {
      return Optional.empty();
    }
  }

  /** The content after this operation, which is hereby proposed at {@code ballot}. */
  Content<V> propose(Ballot ballot, Content<V> content, Decision<V, R> wanted) {
    proposals.add(ballot, wanted.result(), content);
    return content.apply(ballot, wanted.value(), rules.remembered());
  }

  boolean hasProposed() {
    return !proposals.isEmpty();
  }

  /** This operation's own proposal in the past of {@code content}. */
  Optional<Proposal<R>> findIn(Content<V> content) {
    return proposals.in(content);
  }

  /**
   * Whether {@code content} may have forgotten that it descends from a proposal of this operation.
   */
  boolean mayBeForgottenIn(Content<V> content) {
    return proposals.mayBeForgotten(content, rules.horizon());
  }

  /** Whether nothing that was proposed can still be chosen after {@code chosen}. */
  boolean isPast(Ballot chosen) {
    return proposals.areAllBelow(chosen);
  }

  void saw(Cell<V> cell) {
    highestRound = Math.max(highestRound, cell.promised().round());
  }

  /** A ballot above every promise that was seen and above every ballot drawn before. */
  Ballot fresh(Kind kind) {
    Ballot ballot = ballotGenerator.above(highestRound, kind);
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
