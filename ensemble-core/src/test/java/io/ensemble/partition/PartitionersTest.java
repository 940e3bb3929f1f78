package io.ensemble.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionersTest {

  private static final InstalledPartitioners OWN = InstalledPartitioners.with(List.of());
  private static final PartitionerSpec RENDEZVOUS = PartitionerSpec.of("rendezvous");
  private static final int KEYS = 100_000;

  private static List<String> parts(int count) {
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      parts.add("part" + i);
    }
    return parts;
  }

  private static PartitionedKey key(int i) {
    return PartitionedKey.of("user:" + i);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 7, 10})
  void oneMorePartTakesOnlyItsShare(int before) {
    Partitioner old = OWN.partitioner(RENDEZVOUS, parts(before));
    Partitioner grown = OWN.partitioner(RENDEZVOUS, parts(before + 1));
    int moved = 0;
    for (int i = 0; i < KEYS; i++) {
      int from = old.part(key(i));
      int to = grown.part(key(i));
      if (from != to) {
        assertThat(to).as("no key moves between old parts").isEqualTo(before);
        moved++;
      }
    }

    assertThat(moved * (before + 1.0) / KEYS).isCloseTo(1, within(0.03));
  }

  @Test
  void oneMorePartMovesNearlyAllByModulo() {
    Partitioner old = OWN.partitioner(PartitionerSpec.of("modulo"), parts(3));
    Partitioner grown = OWN.partitioner(PartitionerSpec.of("modulo"), parts(4));
    int moved = 0;
    for (int i = 0; i < KEYS; i++) {
      moved += old.part(key(i)) == grown.part(key(i)) ? 0 : 1;
    }

    assertThat(moved / (double) KEYS).isCloseTo(0.75, within(0.01));
  }

  @Test
  void aPartThatGoesGivesAwayItsOwnKeysOnly() {
    List<String> all = parts(5);
    List<String> rest = new ArrayList<>(all);
    rest.remove("part2");
    Partitioner before = OWN.partitioner(RENDEZVOUS, all);
    Partitioner after = OWN.partitioner(RENDEZVOUS, rest);
    for (int i = 0; i < KEYS; i++) {
      String from = all.get(before.part(key(i)));
      if (!from.equals("part2")) {
        assertThat(rest.get(after.part(key(i)))).isEqualTo(from);
      }
    }
  }

  @Test
  void theOrderOfThePartsDoesNotMatterToRendezvous() {
    List<String> all = parts(6);
    List<String> shuffled = new ArrayList<>(all);
    Collections.shuffle(shuffled, new Random(7));
    Partitioner one = OWN.partitioner(RENDEZVOUS, all);
    Partitioner other = OWN.partitioner(RENDEZVOUS, shuffled);
    for (int i = 0; i < 1000; i++) {
      assertThat(shuffled.get(other.part(key(i)))).isEqualTo(all.get(one.part(key(i))));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"modulo", "rendezvous"})
  void partsGetEqualShares(String name) {
    Partitioner partitioner = OWN.partitioner(PartitionerSpec.of(name), parts(8));
    int[] counts = new int[8];
    for (int i = 0; i < KEYS; i++) {
      counts[partitioner.part(key(i))]++;
    }

    for (int count : counts) {
      assertThat(count * 8.0 / KEYS).isCloseTo(1, within(0.03));
    }
  }

  @Test
  void keysOfAGroupAreKeptTogether() {
    PartitionerSpec uniform = PartitionerSpec.of("uniform").with("pattern", "^user:(\\d+):");
    PartitionerSpec grouped = RENDEZVOUS.with("group", "^user:(\\d+):");
    for (PartitionerSpec spec : List.of(uniform, grouped)) {
      Partitioner partitioner = OWN.partitioner(spec, parts(5));
      int[] counts = new int[5];
      for (int i = 0; i < 1000; i++) {
        int part = partitioner.part(PartitionedKey.of("user:" + i + ":name"));
        assertThat(partitioner.part(PartitionedKey.of("user:" + i + ":age"))).isEqualTo(part);
        assertThat(partitioner.part(PartitionedKey.of("" + i))).isEqualTo(part);
        counts[part]++;
      }
      for (int count : counts) {
        assertThat(count).isBetween(150, 250);
      }
    }
  }

  @Test
  void aStringIsTheSameHoweverItCame() {
    Partitioner partitioner = OWN.partitioner(RENDEZVOUS.with("group", "\\{(.+?)\\}"), parts(50));
    for (int i = 0; i < 200; i++) {
      String text = "ä{" + i + "}" + i;

      assertThat(partitioner.part(PartitionedKey.utf8(text.getBytes(UTF_8))))
          .isEqualTo(partitioner.part(PartitionedKey.of(text)));
    }
  }

  @Test
  void keysWithoutTextAreTheirOwnGroups() {
    Partitioner grouped = OWN.partitioner(RENDEZVOUS.with("group", "(.)"), parts(9));
    Partitioner plain = OWN.partitioner(RENDEZVOUS, parts(9));
    for (byte i = 0; i < 100; i++) {
      assertThat(grouped.part(PartitionedKey.opaque(new byte[] {0, i})))
          .isEqualTo(plain.part(PartitionedKey.opaque(new byte[] {0, i})));
    }
  }

  @Test
  void labelsSayWhichParts() {
    PartitionerSpec label =
        PartitionerSpec.of("label")
            .with("pattern", "^([a-z]+)/")
            .with("label.part0", "eu")
            .with("label.part1", "us")
            .with("label.part2", "us")
            .with("otherwise", "eu");
    Partitioner partitioner = OWN.partitioner(label, parts(3));
    Partitioner other = OWN.partitioner(label.with("otherwise", "us"), parts(3));
    int[] us = new int[3];
    for (int i = 0; i < 1000; i++) {
      assertThat(partitioner.part(PartitionedKey.of("eu/" + i))).isZero();
      assertThat(partitioner.part(PartitionedKey.of("mars/" + i))).isZero();
      assertThat(other.part(PartitionedKey.of("mars/" + i))).isIn(1, 2);
      assertThat(partitioner.part(PartitionedKey.of("US/" + i))).isZero();
      assertThat(partitioner.part(PartitionedKey.opaque(new byte[] {0, 1}))).isZero();
      us[partitioner.part(PartitionedKey.of("us/" + i))]++;
    }

    assertThat(us[0]).isZero();
    assertThat(us[1]).isBetween(430, 570);
    assertThat(us[2]).isBetween(430, 570);
  }

  @Test
  void settingsThatDoNotFitAreRefused() {
    PartitionerSpec label = PartitionerSpec.of("label").with("pattern", "(.)");

    assertRefused(RENDEZVOUS.with("patern", "x"), "has no such settings: [patern]; it has []");
    assertRefused(PartitionerSpec.of("uniform"), "needs the setting 'pattern'; it has []");
    assertRefused(PartitionerSpec.of("uniform").with("pattern", "("), "missing closing )");
    assertRefused(RENDEZVOUS.with("group", "a**"), "invalid nested repetition");
    assertRefused(label.with("otherwise", "eu"), "needs the setting 'label.part0'");
    assertRefused(
        label.with("label.part0", "eu").with("label.part1", "us").with("otherwise", "asia"),
        "setting 'otherwise' must be the label of a part; expected one of [eu, us], got 'asia'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OWN.partitioner(RENDEZVOUS, List.of("a", "a")));
    assertThatIllegalArgumentException().isThrownBy(() -> OWN.partitioner(RENDEZVOUS, List.of()));
    for (String name : List.of("", "Modulo", "io.evil.Class", "a".repeat(33), "9a")) {
      assertThatIllegalArgumentException().isThrownBy(() -> PartitionerSpec.of(name));
    }
    for (String setting : List.of("", "a=b", "a\nb", "a".repeat(257))) {
      assertThatIllegalArgumentException().isThrownBy(() -> RENDEZVOUS.with(setting, "v"));
    }
    for (String value : List.of("", "a\nb", "\ud800", "a".repeat(257))) {
      assertThatIllegalArgumentException().isThrownBy(() -> RENDEZVOUS.with("s", value));
    }
  }

  private static void assertRefused(PartitionerSpec spec, String why) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OWN.partitioner(spec, parts(2)))
        .withMessageContaining(why);
  }

  /** Sends every key to the part that a setting names. */
  public static final class ToOne implements PartitionerProvider {
    @Override
    public String name() {
      return "to-one";
    }

    @Override
    public Partitioner partitioner(Map<String, String> settings, List<String> parts) {
      int index = Integer.parseInt(settings.get("index"));
      return key -> index;
    }
  }

  @Test
  void whatIsNotInstalledIsRefusedNamingWhatIs() {
    assertThatExceptionOfType(UnknownPartitionerException.class)
        .isThrownBy(() -> OWN.partitioner(PartitionerSpec.of("to-one"), parts(2)))
        .withMessageContaining("expected=to-one installed=[label, modulo, rendezvous, uniform]")
        .satisfies(unknown -> assertThat(unknown.installed()).hasSize(4));
  }

  @Test
  void anExtensionIsFoundAsAServiceAndItsAnswersAreChecked(@TempDir Path directory)
      throws IOException {
    Path services = Files.createDirectories(directory.resolve("META-INF/services"));
    Files.writeString(services.resolve(PartitionerProvider.class.getName()), ToOne.class.getName());
    try (URLClassLoader loader =
        new URLClassLoader(
            new URL[] {directory.toUri().toURL()}, PartitionersTest.class.getClassLoader())) {
      InstalledPartitioners installed = InstalledPartitioners.on(loader);
      PartitionerSpec toOne = PartitionerSpec.of("to-one");

      assertThat(installed.names()).contains("to-one", "rendezvous");
      assertThat(installed.partitioner(toOne.with("index", "1"), parts(2)).part(key(1))).isOne();
      for (String index : List.of("-1", "2")) {
        Partitioner outside = installed.partitioner(toOne.with("index", index), parts(2));
        assertThatIllegalStateException()
            .isThrownBy(() -> outside.part(key(1)))
            .withMessageContaining("partitioner=to-one parts=2 got=" + index);
      }
    }
  }

  @Test
  void anExtensionThatCannotBeLoadedIsNamed(@TempDir Path directory) throws IOException {
    Path services = Files.createDirectories(directory.resolve("META-INF/services"));
    Files.writeString(services.resolve(PartitionerProvider.class.getName()), "no.such.Kind");
    try (URLClassLoader loader =
        new URLClassLoader(
            new URL[] {directory.toUri().toURL()}, PartitionersTest.class.getClassLoader())) {
      assertThatIllegalStateException()
          .isThrownBy(() -> InstalledPartitioners.on(loader))
          .withMessageContaining("no.such.Kind");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"rendezvous", "io.evil.Class", ""})
  void anExtensionHasAProperNameOfItsOwn(String name) {
    PartitionerProvider taken =
        new PartitionerProvider() {
          @Override
          public String name() {
            return name;
          }

          @Override
          public Partitioner partitioner(Map<String, String> settings, List<String> parts) {
            return key -> 0;
          }
        };

    assertThatIllegalStateException()
        .isThrownBy(() -> InstalledPartitioners.with(List.of(taken)))
        .withMessageContaining("name=" + name);
    assertThatIllegalStateException()
        .isThrownBy(() -> InstalledPartitioners.with(List.of(new ToOne(), new ToOne())));
  }
}
