package io.ensemble.objects.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.objects.machine.NextCaller;
import io.ensemble.objects.machine.NextCaller.ExpectedCall;
import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.protocol.CallResult.Answered;
import io.ensemble.objects.record.ByteString;
import io.ensemble.objects.record.CallOutcome;
import io.ensemble.objects.record.ObjectRoot;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

/** Sessions that append to a text, on a store without faults. */
abstract class SessionFixture {

  static final long SECOND = 1_000_000_000;
  static final String UNREADABLE = "nobody reads this";
  static final ByteString QUESTION = ByteString.of("?".getBytes(UTF_8));

  final Machine machine = new Machine();
  ObjectRoot root = ObjectRoot.first("text", SessionWorld.BIRTH, ByteString.of(new byte[0]));
  long looks;
  long now;

  static StoreRequest asked(List<ProtocolEffect> effects) {
    return effects.stream()
        .filter(ProtocolEffect.Ask.class::isInstance)
        .map(e -> ((ProtocolEffect.Ask) e).request())
        .findFirst()
        .orElseThrow();
  }

  static boolean applied(ProtocolEffect.Settle settle) {
    return settle.verdict() instanceof Answered answered && answered.outcome().applied();
  }

  /** Six sessions of an object that keeps the entries of two. */
  List<SessionProtocol> moreThanAreRemembered() {
    return IntStream.range(0, 6)
        .mapToObj(i -> course(i, ProtocolSettings.DEFAULT.members(2)))
        .toList();
  }

  SessionProtocol course(int index, ProtocolSettings protocolSettings) {
    int[] names = {0};
    return new SessionProtocol(
        machine,
        new UUID(1, index),
        SessionWorld.BIRTH,
        protocolSettings,
        Set.of(SafetyRule.values()),
        () -> new UUID(index, ++names[0]),
        index);
  }

  CallResult made(SessionProtocol sessionProtocol, String word) {
    return settled(
        run(sessionProtocol, sessionProtocol.call(1, ByteString.of(word.getBytes(UTF_8)), now)));
  }

  CallResult read(SessionProtocol sessionProtocol) {
    return settled(
        run(
            sessionProtocol,
            sessionProtocol.read(1, ByteString.of("?".getBytes(UTF_8)), true, now)));
  }

  static String text(CallResult callResult) {
    CallOutcome outcome = ((Answered) callResult).outcome();
    return new String(outcome.bytes().array(), UTF_8);
  }

  List<ProtocolEffect> run(SessionProtocol sessionProtocol, List<ProtocolEffect> effects) {
    List<ProtocolEffect> told = new ArrayList<>();
    run(sessionProtocol, effects, told);
    return told;
  }

  void run(
      SessionProtocol sessionProtocol, List<ProtocolEffect> effects, List<ProtocolEffect> told) {
    List<ProtocolEffect> left = new ArrayList<>(effects);
    while (!left.isEmpty()) {
      ProtocolEffect effect = left.remove(0);
      if (effect instanceof ProtocolEffect.Ask ask) {
        left.addAll(sessionProtocol.answered(carriedOut(ask.request()), now));
      } else if (effect instanceof ProtocolEffect.WakeAt wake) {
        now = Math.max(now, wake.nanos());
        left.addAll(sessionProtocol.wake(now));
      } else if (effect instanceof ProtocolEffect.Settle) {
        told.add(effect);
      }
    }
  }

  StoreResponse carriedOut(StoreRequest request) {
    if (request instanceof StoreRequest.Look) {
      looks++;
      return new StoreResponse.Looked(root, root.sequence(), List.of());
    }
    StoreRequest.Swap swap = (StoreRequest.Swap) request;
    if (!swap.token().equals(root.sequence())) {
      return new StoreResponse.Swapped(false, null);
    }
    root = swap.next();
    return new StoreResponse.Swapped(true, root.sequence());
  }

  static CallResult settled(List<ProtocolEffect> effects) {
    return effects.stream()
        .filter(ProtocolEffect.Settle.class::isInstance)
        .map(e -> ((ProtocolEffect.Settle) e).verdict())
        .findFirst()
        .orElse(null);
  }

  /** A text that calls append to; with {@code length}, results are that long instead. */
  static final class Machine implements io.ensemble.objects.machine.StateMachine {
    private final AppendStateMachine appendStateMachine = new AppendStateMachine();
    int length;

    /** Expected once the text contains a y, until it contains a z. */
    ExpectedCall expected;

    @Override
    public ExpectedCall expectedCall(Object state) {
      String text = new String(store(state), UTF_8);
      boolean hasEnded = text.contains("z") && expected != null;
      return hasEnded
          ? new ExpectedCall(NextCaller.NONE, false)
          : text.contains("y") ? expected : null;
    }

    @Override
    public Object load(byte[] state) {
      if (new String(state, UTF_8).equals(UNREADABLE)) {
        throw new UnreadableException("it was to be", null);
      }
      return appendStateMachine.load(state);
    }

    @Override
    public byte[] store(Object state) {
      return appendStateMachine.store(state);
    }

    @Override
    public byte[] apply(Object state, byte[] call) {
      byte[] outcome = appendStateMachine.apply(state, call);
      return length > 0 ? new byte[length] : outcome;
    }
  }
}
