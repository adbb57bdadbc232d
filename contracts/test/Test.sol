// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @dev The cheat codes of forge that are used here.
interface Cheats {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function addr(uint256 key) external pure returns (address);
    function assertEq(uint256 left, uint256 right, string calldata message) external pure;
    function assertEq(address left, address right, string calldata message) external pure;
    function assertTrue(bool condition, string calldata message) external pure;
    function assertEq(bytes32 left, bytes32 right, string calldata message) external pure;
    function assertGe(uint256 left, uint256 right, string calldata message) external pure;
    function assume(bool condition) external pure;
    function chainId(uint256 id) external;
    function deal(address to, uint256 amount) external;
    function etch(address to, bytes calldata code) external;
    function expectRevert() external;
    function expectRevert(bytes4 selector) external;
    function getCode(string calldata artifact) external view returns (bytes memory);
    function getNonce(address account) external view returns (uint64);
    function getRecordedLogs() external returns (Log[] memory);
    function prank(address sender) external;
    function recordLogs() external;
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function snapshotGasLastCall(string calldata group, string calldata name) external returns (uint256);
    function warp(uint256 timestamp) external;
}

abstract contract Test {
    Cheats internal constant vm = Cheats(address(uint160(uint256(keccak256("hevm cheat code")))));

    function bound(uint256 value, uint256 min, uint256 max) internal pure returns (uint256) {
        return min + value % (max - min + 1);
    }

    /// @dev An address without code, identified by a number.
    function account(uint256 number) internal pure returns (address) {
        return vm.addr(1_000 + number);
    }

    function listOf(bytes32 one) internal pure returns (bytes32[] memory list) {
        list = new bytes32[](1);
        list[0] = one;
    }

    function listOf() internal pure returns (address[] memory) {
        return new address[](0);
    }

    function listOf(address one) internal pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = one;
    }

    /// @dev In ascending order, as a sweep requires.
    function listOf(address one, address other) internal pure returns (address[] memory list) {
        list = new address[](2);
        (list[0], list[1]) = one < other ? (one, other) : (other, one);
    }
}
