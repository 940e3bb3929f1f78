package io.ensemble.rest.jetty;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Bounds on the bytes that are held. */
class ByteBudgetTest {

  @Test
  void oneCallerHasAShareAndAllHaveABound() {
    ByteBudget budget = new ByteBudget(100, 40);

    assertThat(budget.take("a", 40)).isTrue();
    assertThat(budget.take("a", 1)).isFalse();
    assertThat(budget.take("b", 40)).isTrue();
    assertThat(budget.take("c", 20)).isTrue();
    assertThat(budget.take("d", 1)).isFalse();
    budget.give("a", 40);
    assertThat(budget.take("d", 40)).isTrue();
    assertThat(budget.held()).isEqualTo(100);
  }

  @Test
  void oneThingFitsHoweverLargeIfNothingElseIsHeld() {
    ByteBudget budget = new ByteBudget(100, 40);

    assertThat(budget.take("a", 400)).isTrue();
    assertThat(budget.take("a", 1)).isFalse();
    assertThat(budget.take("b", 1)).isFalse();
    budget.give("a", 400);

    assertThat(budget.held()).isZero();
  }

  @Test
  void whatHasToBeHeldIsHeld() {
    ByteBudget budget = new ByteBudget(100, 40);
    budget.take("a", 40);

    budget.force("a", 90);

    assertThat(budget.held()).isEqualTo(130);
    assertThat(budget.take("b", 1)).isFalse();
  }
}
