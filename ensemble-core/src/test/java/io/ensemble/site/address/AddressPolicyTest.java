package io.ensemble.site.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressPolicyTest {

  private static final AddressResolver NOBODY =
      name -> {
        throw new AssertionError("nobody is asked for " + name);
      };

  /** Allows all that rules can allow. */
  private static final AddressPolicy EVERYTHING =
      AddressPolicy.allowing(
          "0.0.0.0/0:*", "[::]/0:*", "*.example:*", "127.0.0.0/8:*", "[::1]/128:*");

  private static InetAddress ip(String literal) {
    try {
      return InetAddress.getByName(literal);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static AddressResolver telling(String... literals) {
    return name -> {
      List<InetAddress> all = new ArrayList<>();
      for (String literal : literals) {
        all.add(ip(literal));
      }
      return all;
    };
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "0.1.2.3",
        "169.254.169.254",
        "169.254.0.1",
        "224.0.0.1",
        "239.255.255.250",
        "240.0.0.1",
        "255.255.255.255",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "::",
        "0:0:0:0:0:0:0:0",
        "fe80::1",
        "febf:ffff::1",
        "ff02::1",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "FD00:0EC2:0:0:0:0:0:254",
        "fd20:ce::254",
        "::ffff:169.254.169.254",
        "::FFFF:A9FE:A9FE",
        "0:0:0:0:0:ffff:a9fe:a9fe",
        "::169.254.169.254",
        "::a9fe:a9fe",
        "::ffff:0:169.254.169.254",
        "64:ff9b::169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "2001:0:a9fe:a9fe::1",
        "2001:0:1:2:3:4:5601:5601",
        "2001:db8::5efe:169.254.169.254",
        "2001:db8::200:5efe:a9fe:a9fe",
        "::ffff:0.0.0.0",
        "::ffff:224.0.0.1",
      })
  void someAddressesAreNeverASites(String host) {
    assertThatThrownBy(() -> EVERYTHING.admit(host, 11222, NOBODY))
        .isInstanceOf(AddressRefusedException.class)
        .hasMessageContaining("the address cannot be that of a site");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "2852039166", // 169.254.169.254
        "0xa9fea9fe",
        "0xA9FEA9FE",
        "0xa9.0xfe.0xa9.0xfe",
        "0251.0376.0251.0376",
        "0251.254.169.254",
        "169.254.43518",
        "169.16689662",
        "127.1",
        "127.0.1",
        "127.0.0.1.",
        "0",
        "0x0",
        "00000127.0.0.1",
        "127.0.0.01",
        "256.0.0.1",
        "1.2.3.4.5",
        "a.1",
        "a.0x7f",
        "localhost.",
        "１２７.0.0.1",
        "①②⑦.0.0.1",
        "127。0。0。1",
        "fe80::1%lo",
        "fe80::1%25eth0",
        "::1%1",
        "1::2::3",
        ":::",
        "12345::",
        "::ffff:127.0.0.256",
        "[::1]",
        "127.0.0.1@db.example",
        "db.example@127.0.0.1",
        "db.example/127.0.0.1",
        "db.example#",
        "db.example:11222",
        "db.example\t",
        "db.example\n",
        "db..example",
        ".example",
        "-db.example",
        "db-.example",
        "db_1.example",
        "%31%32%37.0.0.1",
        "",
        " ",
        "*",
        "*.example",
      })
  void whatIsReadInTwoWaysIsNeitherANameNorAnAddress(String host) {
    assertThatThrownBy(() -> EVERYTHING.admit(host, 11222, NOBODY))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aNameIsBounded() {
    String label = "a".repeat(63);

    assertThatThrownBy(() -> EVERYTHING.admit(label + "b.example", 1, NOBODY))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> EVERYTHING.admit((label + ".").repeat(4) + "example", 1, NOBODY))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.255.255.254",
        "::1",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001:db8::5efe:7f00:1"
      })
  void thisHostWantsARuleOfItsOwn(String host) {
    AddressPolicy wide = AddressPolicy.allowing("0.0.0.0/0:*", "[::]/0:*", "*.example:*");

    assertThatThrownBy(() -> wide.admit(host, 11222, NOBODY))
        .isInstanceOf(AddressRefusedException.class)
        .hasMessageContaining("loopback");
  }

  @Test
  void thisHostIsEnteredByARuleOfItsOwnAtItsPortOnly() throws Exception {
    AddressPolicy here = AddressPolicy.allowing("127.0.0.1/32:11222", "[::1]/128:11222");

    assertThat(here.admit("127.0.0.1", 11222, NOBODY).getAddress()).isEqualTo(ip("127.0.0.1"));
    assertThat(here.admit("::ffff:127.0.0.1", 11222, NOBODY).getAddress())
        .isEqualTo(ip("127.0.0.1"));
    assertThat(here.admit("::1", 11222, NOBODY).getAddress()).isEqualTo(ip("::1"));
    assertThatThrownBy(() -> here.admit("127.0.0.1", 22, NOBODY))
        .isInstanceOf(AddressRefusedException.class);
    assertThatThrownBy(() -> here.admit("127.0.0.2", 11222, NOBODY))
        .isInstanceOf(AddressRefusedException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "db.example:11222, db.example, 11222, true",
    "db.example:11222, DB.Example, 11222, true",
    "db.example:11222, db.example, 11223, false",
    "db.example:11222, xdb.example, 11222, false",
    "db.example:11222, db.example.evil, 11222, false",
    "*.example:1-9, a.b.example, 9, true",
    "*.example:1-9, example, 9, false",
    "*.example:1-9, evilexample, 9, false",
    "10.1.0.0/16:*, db.example, 65535, false",
    "203.0.113.0/24:*, db.example, 1, true",
  })
  void aNameIsAllowedByItselfOrByWhereItIs(String rule, String host, int port, boolean allowed) {
    AddressPolicy policy = AddressPolicy.allowing(rule);
    AddressResolver resolver = telling("203.0.113.7");

    if (allowed) {
      assertThat(admitted(policy, host, port, resolver)).isEqualTo(ip("203.0.113.7"));
    } else {
      assertThatThrownBy(() -> policy.admit(host, port, resolver))
          .isInstanceOf(AddressRefusedException.class)
          .hasMessageNotContaining("203.0.113.7"); // No internal address is disclosed.
    }
  }

  private static InetAddress admitted(
      AddressPolicy policy, String host, int port, AddressResolver resolver) {
    try {
      return policy.admit(host, port, resolver).getAddress();
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"169.254.169.254", "127.0.0.1", "::1", "fe80::1", "::ffff:127.0.0.1", "0.0.0.0"})
  void oneBadAddressOfANameRefusesIt(String bad) {
    AddressPolicy policy = AddressPolicy.allowing("db.example:*");

    assertThatThrownBy(() -> policy.admit("db.example", 1, telling("203.0.113.7", bad)))
        .isInstanceOf(AddressRefusedException.class);
  }

  /** Also if the name has that address only when the connection is made. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "10.0.0.5",
        "100.64.0.1",
        "172.16.9.9",
        "172.31.0.1",
        "192.168.1.1",
        "198.19.0.1",
        "fd12:3456::1",
        "fec0::1",
        "64:ff9b::10.0.0.5",
        "2002:c0a8:0101::1",
      })
  void aNameThatIsAllowedLeadsIntoNoPrivateNetwork(String inside) throws Exception {
    AddressPolicy byName = AddressPolicy.allowing("db.example:*");
    InetAddress told = InetAddress.getByAddress("db.example", ip(inside).getAddress());
    AddressPolicy both =
        AddressPolicy.allowing("db.example:*", "0.0.0.0/0:*", "[::]/0:*"); // Allowed by network.

    assertThatThrownBy(() -> byName.admit("db.example", 1, telling("203.0.113.7", inside)))
        .isInstanceOf(AddressRefusedException.class);
    assertThatThrownBy(() -> byName.check(new InetSocketAddress(told, 1)))
        .isInstanceOf(AddressRefusedException.class);
    both.check(new InetSocketAddress(told, 1));
  }

  @Test
  void aNameIsResolvedOnceAndThenItsAddressStands() throws Exception {
    List<String> asked = new ArrayList<>();
    AddressResolver rebinding =
        name -> {
          asked.add(name);
          return List.of(ip(asked.size() == 1 ? "203.0.113.7" : "127.0.0.1"));
        };

    InetSocketAddress at = AddressPolicy.allowing("db.example:1").admit("db.example", 1, rebinding);

    assertThat(asked).hasSize(1);
    assertThat(at.isUnresolved()).isFalse();
    assertThat(at.getAddress()).isEqualTo(ip("203.0.113.7"));
    assertThat(at.getHostString()).isEqualTo("db.example");
    assertThatThrownBy(() -> AddressPolicy.allowing("*.b:1").admit("a.b", 2, rebinding))
        .isInstanceOf(AddressRefusedException.class); // Refused by port, without a lookup.
    assertThat(asked).hasSize(1);
  }

  @Test
  void anAddressThatASiteTellsIsCheckedAsAnyOther() throws Exception {
    AddressPolicy policy = AddressPolicy.allowing("203.0.113.0/24:11222", "*.example:11222");

    policy.check(new InetSocketAddress(ip("203.0.113.9"), 11222));
    policy.check(
        new InetSocketAddress(
            InetAddress.getByAddress("n2.example", ip("198.51.100.1").getAddress()), 11222));

    for (InetSocketAddress told :
        List.of(
            new InetSocketAddress(ip("198.51.100.1"), 11222),
            new InetSocketAddress(ip("203.0.113.9"), 22),
            new InetSocketAddress(ip("127.0.0.1"), 11222),
            InetSocketAddress.createUnresolved("n2.example", 11222))) {
      assertThatThrownBy(() -> policy.check(told)).isInstanceOf(AddressRefusedException.class);
    }
  }

  @Test
  void withoutRulesNothingIsEntered() {
    assertThatThrownBy(() -> AddressPolicy.allowing().admit("203.0.113.9", 1, NOBODY))
        .isInstanceOf(AddressRefusedException.class);
    assertThatThrownBy(() -> AddressPolicy.allowing().admit("db.example", 1, NOBODY))
        .isInstanceOf(AddressRefusedException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":1",
        "db.example",
        "db.example:",
        "db.example:0",
        "db.example:65536",
        "db.example:9-1",
        "db.example:1-",
        "db.example:-1",
        "*:1",
        "*.:1",
        "*.*.example:1",
        "10.0.0.0/33:1",
        "10.0.0.1/8:1",
        "10.0.0.0/:1",
        "10.0.0.0/-1:1",
        "0x0a.0.0.0/8:1",
        "fd00::/8:1",
        "[fd00::]/129:1",
        "[fd00::1]/8:1",
        "[fe80::1%1]/128:1",
      })
  void aRuleThatIsNoneIsRefused(String rule) {
    assertThatThrownBy(() -> AddressPolicy.allowing(rule))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
