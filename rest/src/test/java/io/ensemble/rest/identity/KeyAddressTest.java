package io.ensemble.rest.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyAddressTest {

  @ParameterizedTest
  @ValueSource(strings = {"http://127.0.0.1:1/k", "http://localhost/k", "http://[::1]/k"})
  void keysComeInClearTextFromThisMachineByAnExplicitWordOnly(String address) {
    URI here = URI.create(address);

    assertThat(new KeyAddress(true).checked(here)).isEqualTo(here);
    assertThatThrownBy(() -> new KeyAddress(false).checked(here))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("clearTextKeys");
  }

  @Test
  void fromElsewhereTheyComeOverTlsWhateverTheWord() {
    URI there = URI.create("https://login.example/k");

    assertThat(new KeyAddress(false).checked(there)).isEqualTo(there);
    assertThatThrownBy(() -> new KeyAddress(true).checked(URI.create("http://login.example/k")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
