package io.ensemble.rest.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Bounds on the bytes that are held. */
class ByteBudgetTest {

  @Test
  void oneCallerHasAShareAndAllHaveABound() {
    ByteBudget budget = new ByteBudget(100, 40);

    assertThat(budget.tryReserve("a", 40)).isTrue();
    assertThat(budget.tryReserve("a", 1)).isFalse();
    assertThat(budget.tryReserve("b", 40)).isTrue();
    assertThat(budget.tryReserve("c", 20)).isTrue();
    assertThat(budget.tryReserve("d", 1)).isFalse();
    budget.release("a", 40);
    assertThat(budget.tryReserve("d", 40)).isTrue();
    assertThat(budget.reservedBytes()).isEqualTo(100);
  }

  @Test
  void oneThingFitsHoweverLargeIfNothingElseIsHeld() {
    ByteBudget budget = new ByteBudget(100, 40);

    assertThat(budget.tryReserve("a", 400)).isTrue();
    assertThat(budget.tryReserve("a", 1)).isFalse();
    assertThat(budget.tryReserve("b", 1)).isFalse();
    budget.release("a", 400);

    assertThat(budget.reservedBytes()).isZero();
  }

  @Test
  void whatHasToBeHeldIsHeld() {
    ByteBudget budget = new ByteBudget(100, 40);
    budget.tryReserve("a", 40);

    budget.reserve("a", 90);

    assertThat(budget.reservedBytes()).isEqualTo(130);
    assertThat(budget.tryReserve("b", 1)).isFalse();
  }
}
