// SPDX-License-Identifier: Apache-2.0
//
// Numbers that look random and are the same for each seed (splitmix32).

export class Prng {
    constructor(seed) {
        this.state = seed >>> 0;
    }

    // 0 ≤ n < 2^32
    next() {
        this.state = (this.state + 0x9e3779b9) >>> 0;
        let z = this.state;
        z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
        z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
        return (z ^ (z >>> 16)) >>> 0;
    }

    below(n) {
        return this.next() % n;
    }

    // True in `n` of 100 cases.
    percent(n) {
        return this.below(100) < n;
    }

    pick(list) {
        return list[this.below(list.length)];
    }
}
