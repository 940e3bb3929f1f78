package io.ensemble.site.hotrod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.address.AddressRefusedException;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.RoundRobinDnsAddressResolverGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
class GuardedTransportTest {

  private final ExecutorService threads = Executors.newFixedThreadPool(1);
  private ServerSocket server;
  private EventLoopGroup group;

  @BeforeEach
  void listen() throws IOException {
    server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
    server.setSoTimeout(200);
  }

  @AfterEach
  void close() throws Exception {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(5, TimeUnit.SECONDS);
    threads.shutdownNow();
    server.close();
  }

  private ChannelFuture connected(String host, String... rules) throws InterruptedException {
    GuardedTransport guarded =
        new GuardedTransport("lyon", AddressPolicy.allowing(rules), new AtomicLong());
    group = guarded.createEventLoopGroup(1, threads);
    return new Bootstrap()
        .group(group)
        .channel(guarded.socketChannelClass())
        .resolver( // As in Hot Rod's client.
            new RoundRobinDnsAddressResolverGroup(
                new DnsNameResolverBuilder().channelType(guarded.datagramChannelClass())))
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {}
            })
        .connect(InetSocketAddress.createUnresolved(host, server.getLocalPort()))
        .await();
  }

  @Test
  void whatIsAllowedIsConnectedTo() throws Exception {
    ChannelFuture future = connected("127.0.0.1", "127.0.0.1/32:*");

    assertThat(future.isSuccess()).isTrue();
    server.accept().close();
  }

  @Test
  void anAddressThatIsNotAllowedIsNotConnectedToWhoeverNamedIt() throws Exception {
    ChannelFuture future = connected("127.0.0.1", "0.0.0.0/0:*");

    assertThat(future.cause()).isInstanceOf(AddressRefusedException.class);
    assertThat(future.channel().closeFuture().await(60, TimeUnit.SECONDS)).isTrue();
    assertNobodyCame();
  }

  @Test
  void aNameThatIsAllowedIsCheckedByTheAddressThatItHasByNow() throws Exception {
    ChannelFuture future = connected("localhost", "localhost:*");

    assertThat(future.cause())
        .isInstanceOf(AddressRefusedException.class)
        .hasMessageContaining("host=localhost"); // The name that rules match.
    assertNobodyCame();
  }

  private void assertNobodyCame() {
    assertThat(catchThrowable(server::accept)).isInstanceOf(SocketTimeoutException.class);
  }
}
