// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {VoucherVault} from "../src/VoucherVault.sol";
import {VaultKit} from "./VaultKit.sol";
import {TestToken} from "./local/TestToken.sol";

/// @dev Measures the code that is deployed, which is compiled for networks before Cancun. Coin and token are measured in one
/// test: with two suites that shared a snapshot, forge missed differences in one of them.
contract VaultGas is VaultKit {
    function test_gas() public {
        setUpVault(address(0));
        measure("coin: ");
        setUpVault(address(new TestToken("Dollar", "USD", 18)));
        measure("token: ");
    }

    function deployVault() internal override returns (VoucherVault) {
        bytes memory code = vm.getCode("out-paris/VoucherVault.sol/VoucherVault.json");
        bytes memory initCode = abi.encodePacked(code, abi.encode(asset, owner, operator));
        address deployed;
        assembly {
            deployed := create(0, add(initCode, 32), mload(initCode))
        }
        return VoucherVault(deployed);
    }

    function measure(string memory kind) private {
        // Another voucher first: only in an empty vault does the slot of liabilities change from or to zero.
        create(KEY + 1_000, AMOUNT, false, false);
        bytes32 codeHash = create(KEY, 1e18, false, true);
        snapshot(kind, "create");
        createMany(100, 1e18);
        snapshot(kind, "create 100");
        redeem(redemptionOf(1e17));
        snapshot(kind, "redeem a part");
        redeem(withFee(1e17, 1e15));
        snapshot(kind, "redeem a part with a fee");
        vm.prank(creator);
        vault.close(codeHash);
        snapshot(kind, "close");
        vm.warp(EXPIRY + 1);
        vault.close(hashOf(creator, KEY + 1));
        snapshot(kind, "close an expired voucher of another account");
    }

    function snapshot(string memory kind, string memory name) private {
        vm.snapshotGasLastCall("VoucherVault", string.concat(kind, name));
    }
}
