/**
 * Emulated distance between processes of one machine. Every host is a network namespace of Linux
 * with an address of its own. Packets between two hosts have the delay, bandwidth and loss of a
 * plan, whatever program sends them. The kernel's netem does this where it exists; elsewhere a
 * process of Ensemble does, which holds the other end of each host's network device. The actual
 * delay and bandwidth are measured from inside the hosts. The emulation ends with its owner:
 * remains of a killed owner are identified by their names and removed.
 */
@NullMarked
package io.ensemble.testkit.wan;

import org.jspecify.annotations.NullMarked;
