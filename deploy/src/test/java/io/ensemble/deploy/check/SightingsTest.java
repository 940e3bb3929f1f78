package io.ensemble.deploy.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SightingsTest {
  private final Sightings sightings = new Sightings();

  @Test
  void whatGrowsIsAsPromised() {
    assertThat(sightings.there("/a", 64, 64)).isNull();
    assertThat(sightings.there("/a", 64, 128)).isNull();
    sightings.gone("/a");

    assertThat(sightings.there("/a", 256, 256)).isNull();
    assertThat(sightings.there("/b", 1, 1)).isNull();
  }

  @Test
  void anEarlierChangeIsAStepBack() {
    sightings.there("/a", 64, 128);

    assertThat(sightings.there("/a", 64, 64)).contains("/a went back", "to zxid 64 from 128");
  }

  @Test
  void whatWasGoneDoesNotComeBackAsItWas() {
    sightings.there("/a", 64, 128);
    sightings.gone("/a");

    assertThat(sightings.there("/a", 64, 128)).contains("came back as it was");
  }

  @Test
  void anotherSessionIsPromisedNothingOfThat() {
    sightings.there("/a", 64, 128);
    sightings.forget();

    assertThat(sightings.there("/a", 64, 64)).isNull();
  }
}
