package io.ensemble.check.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretFilterTest {

  private final SecretFilter unknown = new SecretFilter(List.of());

  @Test
  void aKnownSecretIsRemovedWhereverItStands() {
    SecretFilter filter = new SecretFilter(List.of("geheim-1\n", "geheim-1-longer", "a\"b<c&d"));

    assertThat(filter.clean("login of geheim-1, geheim-1-longer; a\\\"b<c&d a&quot;b"))
        .isEqualTo("login of [removed], [removed]; [removed] a&quot;b");
    assertThat(filter.clean("<p>a&quot;b&lt;c&amp;d</p>")).isEqualTo("<p>[removed]</p>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "password=PLANT",
        "trust_store_password: PLANT",
        "\"password\" : \"PLANT\"",
        "\"password\":\"PL\\\"ANT PLANT\"",
        "-Djavax.net.ssl.keyStorePassword=PLANT x",
        "apiKey=PLANT",
        "client_secret = 'PLANT and PLANT'",
        "Authorization: Bearer PLANTPLANT.abc",
        "authorization: basic PLANTPLANT==",
        "zk://ada:PLANT@host:2181/path",
        "-----BEGIN PRIVATE KEY-----\nPLANT\n-----END PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nPLANT",
        "<keystore path=\"k.p12\" password=\"PLANT\" type=\"PKCS12\"/>",
        "PLANT\nPLANT\n-----END RSA PRIVATE KEY-----\nordinary",
        "Authorization: Custom key=PLANT, other=PLANT",
        "authorization=PLANT PLANT",
        "Cookie: session=PLANT; other=PLANT",
        "< Set-Cookie: session=PLANT; Path=/",
        "{\"body\":\"{\\\"password\\\":\\\"PLANT PLANT\\\"}\"}",
        "\\\"password\\\":\\\"a\\\\\\\"PLANT\\\"",
        "\"tokens\":[\"PLANT\", \"PLANT]PLANT\"]",
        "{\\\"tokens\\\":[\\\"PLANT\\\"]}",
        "<password>PLANT PLANT</password>",
        "<ns:password type=\"x\">PLANT</ns:password>",
        "<password><![CDATA[PLANT]]></password>",
        "java Main --password PLANT",
        "[\"--rest-token\", \"PLANT PLANT\"]",
        "passphrase=PLANT",
        "user_super=\"PLANT PLANT\"",
        "password=a,PLANT",
        "password=a;PLANT",
        "password=a&PLANT",
        "password=a<PLANT",
        "password={x}PLANT",
        "password=true-PLANT",
        "password=null,PLANT",
        "password: \"cut PLANT",
        "\"pwd\":12,\"token\":\"PLANT\"",
      })
  void whatStandsWhereSecretsStandIsRemoved(String text) {
    assertThat(unknown.clean(text)).doesNotContain("PLANT").contains(SecretFilter.REMOVED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"password_file\" : \"/etc/ensemble/ada.password\"",
        "\"password_env\" : \"LYON_PASSWORD\"",
        "\"credentials\" : null",
        "\"credentials\" : {",
        "{\"password\":null,\"secret\":false}",
        "{\"tokens\":[],\"credentials\":{\"user\":\"ada\"}}",
        "password=true, lock=1",
        "lock held; 17 keys copied",
        "zk://127.0.0.1:24724?access=/etc/catalog.properties",
      })
  void referencesAndOrdinaryTextStay(String text) {
    assertThat(unknown.clean(text)).isEqualTo(text);
  }

  @Test
  void jsonStaysJson() {
    assertThat(unknown.clean("{\"token\":5,\"pwd\":\"a\",\"tokens\":[\"b\"],\"x\":1}"))
        .isEqualTo(
            "{\"token\":\"[removed]\",\"pwd\":\"[removed]\",\"tokens\":[\"[removed]\"],\"x\":1}");
    assertThat(unknown.clean("{\"body\":\"{\\\"password\\\":\\\"a b\\\"}\"}"))
        .isEqualTo("{\"body\":\"{\\\"password\\\":\\\"[removed]\\\"}\"}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"password=\"", "\\\"password\\\":\\\"", "tokens=[", "<password>", "--token "})
  void aLongValueIsRemoved(String before) {
    String value = "\\n0123456789abcde".repeat(1 << 16);

    assertThat(unknown.clean(before + value)).hasSizeLessThan(100);
  }

  @Test
  void aShortValueIsNotSearchedAsItWouldRemovePartsOfWords() {
    assertThat(new SecretFilter(List.of("", "a", "abc")).clean("abcd")).isEqualTo("abcd");
  }
}
