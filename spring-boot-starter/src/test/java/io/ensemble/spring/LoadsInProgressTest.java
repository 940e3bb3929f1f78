package io.ensemble.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.spring.LoadsInProgress.Load;
import org.junit.jupiter.api.Test;

class LoadsInProgressTest {

  private final LoadsInProgress loads = new LoadsInProgress();

  @Test
  void aKeyHasOneLoad() {
    Load first = loads.of("k");
    Load second = loads.of("k");

    assertThat(loads.begin(first)).isSameAs(first);
    assertThat(loads.begin(second)).isSameAs(first);
    assertThat(first.end()).isNotDone();
  }

  @Test
  void theEndOfALoadLetsAnotherBegin() {
    Load first = loads.of("k");
    Load second = loads.of("k");
    loads.begin(first);

    loads.end(first);

    assertThat(first.end()).isDone();
    assertThat(loads.begin(second)).isSameAs(second);
  }

  @Test
  void theEndOfALoadThatWasNotRecordedChangesNoOther() {
    Load first = loads.of("k");
    Load second = loads.of("k");
    loads.begin(first);

    loads.end(second);

    assertThat(loads.begin(second)).isSameAs(first);
  }

  @Test
  void loadsBeyondTheBoundAreNotRecorded() {
    Load recorded = loads.of(0);
    loads.begin(recorded);
    for (int key = 1; key < LoadsInProgress.MOST; key++) {
      loads.begin(loads.of(key));
    }
    Load beyond = loads.of("beyond");

    assertThat(loads.begin(beyond)).isSameAs(beyond);
    assertThat(loads.size()).isEqualTo(LoadsInProgress.MOST);
    assertThat(loads.begin(loads.of(0))).isSameAs(recorded);

    loads.end(recorded);
    Load other = loads.of("beyond");
    assertThat(loads.begin(other)).isSameAs(other);
    loads.end(beyond);
    assertThat(loads.begin(loads.of("beyond"))).isSameAs(other);
  }
}
