package io.ensemble.objects.proxy;

import io.ensemble.objects.machine.JavaStateMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * An object of a {@link LocalObjects}: every call reads the state from its bytes and writes it
 * again.
 */
final class LocalCallTarget implements CallTarget {

  private final LocalObjects localObjects;
  private final JavaStateMachine<?> machine;
  private final String name;
  private final List<Boolean> calls = new ArrayList<>();
  private byte[] state;

  LocalCallTarget(LocalObjects localObjects, JavaStateMachine<?> machine, String name) {
    this.localObjects = localObjects;
    this.machine = machine;
    this.name = name;
    state = machine.store(machine.type().initial());
  }

  /** For each call, whether it was marked as read-only. */
  List<Boolean> calls() {
    return calls;
  }

  Object state() {
    return machine.load(state);
  }

  @Override
  public byte[] call(byte[] call, boolean readOnly) {
    calls.add(readOnly);
    Object before = machine.load(state);
    byte[] outcome = machine.apply(before, call);
    state = machine.store(before);
    return outcome;
  }

  @Override
  public CompletionStage<byte[]> callAsync(byte[] call, boolean readOnly) {
    return CompletableFuture.completedFuture(call).thenApply(bytes -> call(bytes, readOnly));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String type() {
    return machine.type().name();
  }

  @Override
  public boolean same(CallTarget other) {
    return other instanceof LocalCallTarget localCallTarget
        && localCallTarget.localObjects == localObjects
        && localCallTarget.name.equals(name);
  }
}
