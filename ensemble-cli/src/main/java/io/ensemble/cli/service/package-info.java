/**
 * Commands as services of systemd: the service manager is told when a service is ready, and its
 * watchdog is pinged while the service answers. Without systemd none of this does anything. {@link
 * ProbeMain} is the health check of containers.
 */
@NullMarked
package io.ensemble.cli.service;

import org.jspecify.annotations.NullMarked;
